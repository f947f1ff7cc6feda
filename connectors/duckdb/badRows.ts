import { join } from 'node:path';
import type { BadRow, CallContext, SpooledRows } from '../connector.js';
import { fieldOf, readCsvSql, rowColumn, spoolRows, typedOf, waiting } from './load.js';
import type { PlacedColumn } from './places.js';
import { quoteName } from './quote.js';
import { refusalsOf, takenSql, uniquesOf } from './refusals.js';
import type { Refusal } from './refusals.js';
import { keysOf } from './tableConfig.js';
import { others, takingOf } from './writeSplit.js';
import type { Load } from './writeSplit.js';

type Rule = Pick<BadRow, 'code' | 'message' | 'column'>;

const raw = 'temp.main.fluxline_raw';
const found = 'temp.main.fluxline_found';

const isBad = (column: PlacedColumn): string => {
  const { value, refused = 'false' } = typedOf(column);
  const text = fieldOf(column);
  return `${text} IS NOT NULL AND (coalesce(${refused}, false) OR TRY(${value}) IS NULL)`;
};

const nullKeys = ({ node }: Load): Refusal[] =>
  (node.mode === 'upsert' ? keysOf(node) : []).map((key) => ({
    condition: `${quoteName(key)} IS NULL`,
    code: 'constraint_violation',
    message: `NULL in a key (column ${key}).`,
    column: key,
  }));

/**
 * Which rows the table would refuse: first those with values of no type, then those that break a
 * rule by themselves, then those whose unique values there are already. Nothing is written for it.
 */
export const findBadRows = async (
  load: Load,
  rows: SpooledRows,
  most: number,
  { signal }: CallContext,
): Promise<readonly BadRow[]> => {
  const { database, deps, node, name } = load;
  const { target, placed } = await takingOf(load, rows.columns);
  const file = join(database.directory, 'rows.csv');
  await spoolRows(rows.read(0, rows.count), file, signal);
  const csv = readCsvSql(file, rows.columns.length, deps.maxRowBytes);

  const rules: Rule[] = [];
  const note = (rule: Rule, select: string): string => {
    rules.push(rule);
    return `INSERT INTO ${found} SELECT ${rowColumn}, ${rules.length - 1} FROM (${select})`;
  };
  const forget = `DELETE FROM ${waiting} WHERE ${rowColumn} IN (SELECT place FROM ${found})`;
  const values = placed.map((column) => `${typedOf(column).value} AS ${quoteName(column.name)}`);
  const refusals = node.mode === 'delete' ? [] : refusalsOf(database, name, target, placed);
  const takes = node.mode !== 'upsert' && node.mode !== 'delete';
  const uniques = takes ? uniquesOf(target, placed) : [];

  const results = await database.run('read', [
    `CREATE TEMP TABLE fluxline_raw AS SELECT row_number() OVER () - 1 AS ${rowColumn}, * FROM ${csv}`,
    'CREATE TEMP TABLE fluxline_found (place BIGINT, rule INTEGER)',
    ...placed
      .filter((column) => typedOf(column).value !== fieldOf(column))
      .map((column) =>
        note(
          {
            code: 'malformed',
            message: `A value is not one of its type (column ${column.name}, ${column.type}).`,
            column: column.name,
          },
          `SELECT ${rowColumn} FROM ${raw} WHERE ${isBad(column)}`,
        ),
      ),
    `CREATE TEMP TABLE fluxline_waiting AS SELECT ${rowColumn}, ${values.join(', ')}
       FROM (SELECT * FROM ${raw} r ANTI JOIN ${found} b ON r.${rowColumn} = b.place)`,
    ...[...nullKeys(load), ...refusals].map(({ condition, ...rule }) =>
      note(rule, `SELECT w.${rowColumn} FROM ${waiting} w WHERE ${condition}`),
    ),
    forget,
    ...uniques.flatMap((unique) => [
      note(
        { code: 'constraint_violation', message: 'There is a row with this key already.' },
        takenSql(unique, waiting, others(load)),
      ),
      forget,
    ]),
    `SELECT place, min(rule) FROM ${found} GROUP BY place ORDER BY place LIMIT ${most}`,
  ]);
  return (results.at(-1)?.rows ?? []).flatMap(([place, rule]) => {
    const known = rules[Number(rule)];
    return known ? [{ row: Number(place), ...known }] : [];
  });
};
