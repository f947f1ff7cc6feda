import type { Column } from '../connector.js';
import { folded } from './quote.js';
import type { TableName } from './quote.js';
import { drifted, invalid, keysOf } from './tableConfig.js';
import type { TableConfig } from '../tableNodes.js';
import { columnOf } from './target.js';
import type { Target } from './target.js';
import { createdType, isNested } from './types.js';

/** A column that arrives and has a place in the table. */
export interface PlacedColumn {
  /** Where it stands in the rows, from 0. */
  index: number;
  name: string;
  from: Column;
  /** DuckDB's word for the type it gets. */
  type: string;
}

export const missingFrom = (target: Target, columns: readonly Column[]): Column[] =>
  columns.filter(({ name }) => !columnOf(target, name));

const refuseMissing = (
  name: TableName,
  target: Target,
  columns: readonly Column[],
  node: TableConfig,
): void => {
  const missing = new Set(missingFrom(target, columns).map((column) => folded(column.name)));
  const needed = [...keysOf(node), ...(node.orderBy ?? []).map(({ column }) => column)];
  const canSkip = node.onSchemaChange === 'ignore' || node.mode === 'delete';
  const refused = canSkip
    ? needed.filter((column) => missing.has(folded(column)))
    : columns.map((column) => column.name).filter((column) => missing.has(folded(column)));
  if (refused.length === 0) return;
  throw drifted(
    `Table ${name.schema}.${name.table} has no column ${refused.join(', ')}: add it, let onSchemaChange evolve the table, or load into another one.`,
  );
};

/** JSON has no bytes, and what would arrive are the digits that stand for them. */
const refuseNestedBytes = (placed: readonly PlacedColumn[]): void => {
  const column = placed.find(({ type }) => isNested(type) && /\bBLOB\b/.test(type));
  if (!column) return;
  throw invalid(
    `Column ${column.name} has bytes within ${column.type}, which cannot be loaded: leave it out with a select before the table.`,
  );
};

/** Which columns are loaded, and as what; a table that is yet to be made takes all of them. */
export const placesOf = (
  name: TableName,
  target: Target | undefined,
  columns: readonly Column[],
  node: TableConfig,
): PlacedColumn[] => {
  if (target) refuseMissing(name, target, columns, node);
  const keys = new Set(keysOf(node).map(folded));
  const placed = columns.flatMap((from, index): PlacedColumn[] => {
    if (node.mode === 'delete' && !keys.has(folded(from.name))) return [];
    if (!target) return [{ index, name: from.name, from, type: createdType(from) }];
    const column = columnOf(target, from.name);
    return column ? [{ index, name: column.name, from, type: column.type }] : [];
  });
  if (placed.length === 0) {
    throw drifted(`Table ${name.schema}.${name.table} has none of the columns that arrive.`);
  }
  refuseNestedBytes(placed);
  return placed;
};
