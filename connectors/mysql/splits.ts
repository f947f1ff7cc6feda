import { RunFailure } from '../../core/failures.js';
import type { SplitOptions } from '../connector.js';
import { describe } from './describe.js';
import type { Shape } from './describe.js';
import { keyBounds } from './keyBounds.js';
import { expectedRows, relationOf } from './relation.js';
import type { Relation } from './relation.js';
import type { Session } from './session.js';
import { isConditional, selectSql, tableNameOf } from './sourceQuery.js';
import { isTable } from '../tableNodes.js';
import type { KeyRange, Selection } from './sourceQuery.js';

/** A read finds the same columns, or refuses to read. */
export interface MysqlRange {
  columns: Shape['columns'];
  signature: string;
  range?: KeyRange;
}

/** Half-open, the first and the last without an end: together they hold every row once. */
export const keyRanges = (key: string, bounds: readonly string[]): KeyRange[] =>
  [...bounds, undefined].map((to, index) => {
    const from = index === 0 ? undefined : bounds[index - 1];
    return {
      key,
      ...(from === undefined ? {} : { from }),
      ...(to === undefined ? {} : { to }),
    };
  });

/** About how much will be read; unknown for a query. */
export const estimate = async (
  session: Session,
  selection: Selection,
  relation: Relation,
  database: string,
): Promise<{ rows: number; bytes: number }> => {
  const { rows, bytes } = relation;
  if (!isConditional(selection) || rows === 0) return { rows, bytes };
  const expected = Math.min(rows, await expectedRows(session, selectSql(selection, database)));
  return { rows: expected, bytes: Math.ceil((bytes * expected) / rows) };
};

const noKey = (): RunFailure =>
  new RunFailure({
    code: 'config_invalid',
    class: 'config',
    message:
      'The source cannot be read per_row: it has no index that begins with a column that is never null. Leave consistency out to read it in one piece.',
  });

const rangesOf = async (
  session: Session,
  selection: Selection,
  { targetBytes, consistency }: SplitOptions,
  database: string,
): Promise<KeyRange[]> => {
  const { config } = selection;
  if (!isTable(config) || consistency === 'single') return [];
  const name = tableNameOf(config, database);
  const relation = await relationOf(session, name);
  if (!relation.key) throw noKey();
  const { bytes } = await estimate(session, selection, relation, database);
  const splits = Math.round(bytes / targetBytes);
  if (splits < 2) return [];
  const wanted = Math.max(1, Math.ceil(relation.rows / splits));
  const bounds = await keyBounds(session, name, relation, wanted);
  return keyRanges(relation.key.column, bounds);
};

export const planSplits = async (
  session: Session,
  selection: Selection,
  options: SplitOptions,
  database: string,
): Promise<MysqlRange[]> => {
  const { columns, signature } = await describe(session, selectSql(selection, database));
  const ranges = await rangesOf(session, selection, options, database);
  return ranges.length === 0
    ? [{ columns, signature }]
    : ranges.map((range) => ({ columns, signature, range }));
};
