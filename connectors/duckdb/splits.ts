import { RunFailure } from '../../core/failures.js';
import type { Column, SplitOptions } from '../connector.js';
import type { Database } from './database.js';
import { columnsOf, describe, signatureOf } from './describe.js';
import { quoteName, quoteTable } from './quote.js';
import type { TableName } from './quote.js';
import { averageBytes, notThere, relationOf } from './relation.js';
import type { Relation, SplitKey } from './relation.js';
import { selectSql, tableNameOf } from './sourceQuery.js';
import { isTable } from '../tableNodes.js';
import type { KeyRange, Names, Selection } from './sourceQuery.js';

/** A read finds the same columns, or refuses to read. */
export interface DuckdbRange {
  columns: readonly Column[];
  signature: string;
  range?: KeyRange;
}

export interface Described {
  columns: readonly Column[];
  signature: string;
  relation?: Relation;
}

/** The columns of a selection, and of a table what else there is to know. */
export const describeSelection = async (
  database: Database,
  selection: Selection,
  names: Names,
): Promise<Described> => {
  const { config } = selection;
  let relation: Relation | undefined;
  if (isTable(config)) {
    const name = tableNameOf(config, names);
    relation = await relationOf(database, name);
    if (!relation) throw notThere(name);
  }
  const described = await describe(database, selectSql(selection, names));
  const required = (relation?.columns ?? []).filter(({ notNull }) => notNull);
  return {
    columns: columnsOf(described, new Set(required.map(({ name }) => name))),
    signature: signatureOf(described),
    ...(relation ? { relation } : {}),
  };
};

const sampleRows = 50_000;
const mostSplits = 10_000;

/** Values between which about the same number of rows lies, judging by some of them. */
const boundsOf = async (
  database: Database,
  name: TableName,
  { column }: SplitKey,
  splits: number,
): Promise<string[]> => {
  const parts = Array.from({ length: splits - 1 }, (_, index) => (index + 1) / splits);
  const [result] = await database.run('read', [
    `SELECT DISTINCT bound, CAST(bound AS VARCHAR) FROM (SELECT unnest(quantile_disc(k, [${parts.join(', ')}])) AS bound
       FROM (SELECT ${quoteName(column)} AS k FROM ${quoteTable(database.name, name)}
             USING SAMPLE reservoir(${sampleRows} ROWS))) ORDER BY bound`,
  ]);
  return (result?.rows ?? []).map(([, text]) => String(text));
};

/** Half-open, the first and the last without an end: together they hold every row once. */
const keyRanges = ({ column, type }: SplitKey, bounds: readonly string[]): KeyRange[] =>
  [...bounds, undefined].map((to, index) => {
    const from = index === 0 ? undefined : bounds[index - 1];
    return {
      key: column,
      type,
      ...(from === undefined ? {} : { from }),
      ...(to === undefined ? {} : { to }),
    };
  });

const noKey = (): RunFailure =>
  new RunFailure({
    code: 'config_invalid',
    class: 'config',
    message:
      'The source cannot be read per_row: it has no primary key to be cut by. Leave consistency out to read it in one piece.',
  });

export const planSplits = async (
  database: Database,
  selection: Selection,
  { consistency, targetBytes }: SplitOptions,
  names: Names,
): Promise<DuckdbRange[]> => {
  const { config } = selection;
  const { columns, signature, relation } = await describeSelection(database, selection, names);
  const whole: DuckdbRange = { columns, signature };
  if (!isTable(config) || !relation || consistency === 'single') return [whole];
  if (!relation.key) throw noKey();
  const name = tableNameOf(config, names);
  const bytes = (relation.rows ?? 0) * (await averageBytes(database, name, relation.columns));
  const splits = Math.min(mostSplits, Math.round(bytes / targetBytes));
  if (splits < 2) return [whole];
  const bounds = await boundsOf(database, name, relation.key, splits);
  return keyRanges(relation.key, bounds).map((range) => ({ ...whole, range }));
};
