import { rowColumn, splitColumn } from './load.js';
import { nameList, quoteName } from './quote.js';
import { keysOf } from './tableConfig.js';
import type { TableConfig } from '../tableNodes.js';

/**
 * Of rows with equal keys the first in the order; of equal ones the one that came last. `splits`:
 * the rows are those of several.
 */
export const winnersSql = (node: TableConfig, table: string, splits: boolean): string => {
  const order = (node.orderBy ?? []).map(
    ({ column, direction }) => `${quoteName(column)} ${direction} NULLS LAST, `,
  );
  const last = splits ? `${splitColumn} DESC, ${rowColumn} DESC` : `${rowColumn} DESC`;
  return (
    `SELECT * FROM ${table} QUALIFY row_number() OVER ` +
    `(PARTITION BY ${nameList(keysOf(node))} ORDER BY ${order.join('')}${last}) = 1`
  );
};

/** A condition: some key stands in the table more than once. */
export const repeats = (node: TableConfig, table: string): string => {
  const keys = nameList(keysOf(node));
  return `EXISTS (SELECT 1 FROM ${table} GROUP BY ${keys} HAVING count(*) > 1)`;
};
