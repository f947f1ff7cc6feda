/** What a table has against rows, as conditions over those that wait to be loaded. */
import type { Database } from './database.js';
import type { PlacedColumn } from './places.js';
import { folded, quoteName, quoteTable } from './quote.js';
import type { TableName } from './quote.js';
import type { Target } from './target.js';

export interface Refusal {
  /** SQL over a row of the waiting table `w`: true for a row that is refused. */
  condition: string;
  code: 'constraint_violation';
  message: string;
  column?: string;
}

const refusal = (condition: string, message: string, column?: string): Refusal => ({
  condition,
  code: 'constraint_violation',
  message,
  ...(column === undefined ? {} : { column }),
});

const nulls = (target: Target, placed: readonly PlacedColumn[]): Refusal[] =>
  placed
    .filter(({ name }) => target.columns.get(folded(name))?.notNull)
    .map(({ name }) =>
      refusal(
        `${quoteName(name)} IS NULL`,
        `NULL where a value is required (column ${name}).`,
        name,
      ),
    );

const holdsAll = (placed: readonly PlacedColumn[], columns: readonly string[]): boolean => {
  const names = new Set(placed.map(({ name }) => folded(name)));
  return columns.every((column) => names.has(folded(column)));
};

const checks = (target: Target, placed: readonly PlacedColumn[]): Refusal[] =>
  target.checks
    .filter(({ columns }) => holdsAll(placed, columns))
    .map(({ expression }) =>
      refusal(`NOT coalesce(${expression}, true)`, 'A check of the table does not hold.'),
    );

const references = (
  database: Database,
  name: TableName,
  target: Target,
  placed: readonly PlacedColumn[],
): Refusal[] =>
  target.references
    .filter(({ columns }) => holdsAll(placed, columns))
    .map(({ columns, table, referenced }) => {
      const isSet = columns.map((column) => `${quoteName(column)} IS NOT NULL`).join(' AND ');
      const same = columns
        .map((column, at) => `f.${quoteName(referenced[at] ?? '')} = w.${quoteName(column)}`)
        .join(' AND ');
      const other = quoteTable(database.name, { schema: name.schema, table });
      return refusal(
        `${isSet} AND NOT EXISTS (SELECT 1 FROM ${other} f WHERE ${same})`,
        `There is no row of ${table} that it refers to.`,
      );
    });

/** What can be said of each row by itself. */
export const refusalsOf = (
  database: Database,
  name: TableName,
  target: Target | undefined,
  placed: readonly PlacedColumn[],
): Refusal[] =>
  target
    ? [
        ...nulls(target, placed),
        ...checks(target, placed),
        ...references(database, name, target, placed),
      ]
    : [];

/** A column of the waiting table that is named in no unique key cannot break it. */
export const uniquesOf = (
  target: Target | undefined,
  placed: readonly PlacedColumn[],
): (readonly string[])[] => {
  const names = placed.map(({ name }) => folded(name));
  return (target?.uniques ?? []).filter((expressions) =>
    // Which columns an expression needs only DuckDB knows; plain ones are names.
    expressions.every(
      (expression) =>
        names.includes(folded(expression.replace(/^"(.*)"$/, '$1').replaceAll('""', '"'))) ||
        names.some((name) => folded(expression).includes(name)),
    ),
  );
};

/** Rows of `table` whose unique values `others` have already; NULL is like no other value. */
export const takenSql = (
  expressions: readonly string[],
  table: string,
  others: readonly string[],
): string => {
  const list = expressions.join(', ');
  const values = expressions.map((expression, at) => `${expression} AS u${at}`).join(', ');
  const same = expressions.map((_, at) => `w.u${at} = o.u${at}`).join(' AND ');
  const all = others.map((other) => `SELECT ${values} FROM ${other}`).join(' UNION ALL ');
  const isSet = expressions.map((_, at) => `u${at} IS NOT NULL`).join(' AND ');
  const repeated =
    `SELECT _fluxline_row FROM (SELECT _fluxline_row, ${values}, ` +
    `row_number() OVER (PARTITION BY ${list} ORDER BY _fluxline_row) AS place FROM ${table}) ` +
    `WHERE place > 1 AND ${isSet}`;
  if (others.length === 0) return repeated;
  return (
    `${repeated} UNION SELECT w._fluxline_row FROM (SELECT _fluxline_row, ${values} FROM ${table}) w ` +
    `SEMI JOIN (${all}) o ON ${same}`
  );
};
