import type { DuckDBConnection } from '@duckdb/node-api';
import type { Client } from 'pg';
import { postgresType } from '../../sql/postgresText.js';
import type { PushedExpression } from '../../sql/pushdown.js';
import { dataTypeOf } from '../../engine/duckdb/types.js';
import type { DataType } from '../../core/dataTypes.js';
import { columns } from './expressions.js';
import type { Row } from './expressions.js';

const quoteName = (name: string): string => `"${name.replaceAll('"', '""')}"`;
const names = [...columns.keys()];

/** The same rows in both, each with its place in `n`. */
export const loadRows = async (
  duck: DuckDBConnection,
  postgres: Client,
  rows: readonly Row[],
): Promise<void> => {
  const fields = (kind: 'duck' | 'postgres'): string =>
    [...columns].map(([name, column]) => `${quoteName(name)} ${column[kind]}`).join(', ');
  const texts = names.map((name) => `${quoteName(name)} text`).join(', ');
  const json = JSON.stringify(
    rows.map((row, n) => ({ n, ...Object.fromEntries(names.map((name, at) => [name, row[at]])) })),
  );
  await postgres.query('drop table if exists rows_');
  await postgres.query(`create table rows_ (n integer, ${fields('postgres')})`);
  await postgres.query(
    `insert into rows_ select n, ${names.map((name) => `${quoteName(name)}::${columns.get(name)?.postgres ?? ''}`).join(', ')}
       from jsonb_to_recordset($1::jsonb) as given (n integer, ${texts})`,
    [json],
  );
  await duck.run(`create or replace table rows_ (n integer, ${fields('duck')})`);
  const marks = names.map((name) => `CAST(?::varchar AS ${columns.get(name)?.duck ?? ''})`);
  for (const [n, row] of rows.entries()) {
    await duck.run(`insert into rows_ values (${n}, ${marks.join(', ')})`, [...row]);
  }
};

/** A value in a form that both systems come to; `error` where there is none. */
type Outcome = string | null;
const failed = 'error';

const canonical = (value: unknown, type: DataType): Outcome => {
  if (typeof value !== 'string') return null;
  if (value === failed) return value;
  // DuckDB writes no zero before the point of a decimal that has no digits there.
  if (type.kind === 'decimal') return value.replace(/^(-?)\./, '$10.');
  if (type.kind !== 'double') return value;
  const number = Number(value.replace(/nan/i, 'NaN').replace(/^(-?)inf$/, '$1Infinity'));
  return Object.is(number, -0) ? '-0' : String(number);
};

const inPostgres = async (client: Client, sql: string, n?: number): Promise<unknown[]> => {
  const where = n === undefined ? '' : `where n = ${n}`;
  const { rows } = await client.query<{ value: unknown }>(
    `select (${sql})::text as value from rows_ ${where} order by n`,
  );
  return rows.map(({ value }) => value);
};

const inDuck = async (duck: DuckDBConnection, sql: string, n?: number): Promise<unknown[]> => {
  const where = n === undefined ? '' : `where n = ${n}`;
  const reader = await duck.runAndReadAll(
    `select CAST((${sql}) AS VARCHAR) from rows_ ${where} order by n`,
  );
  return reader.getRows().map(([value]) => value);
};

const perRow = async (
  count: number,
  one: (n: number) => Promise<unknown[]>,
): Promise<unknown[]> => {
  const values: unknown[] = [];
  for (let n = 0; n < count; n += 1) {
    values.push(...(await one(n).catch(() => [failed])));
  }
  return values;
};

/** All rows at once, and one by one where one of them fails. */
const outcomes = async (
  count: number,
  evaluate: (n?: number) => Promise<unknown[]>,
): Promise<unknown[]> => evaluate().catch(() => perRow(count, evaluate));

export interface Compared {
  types: { duck: DataType; postgres: string };
  duck: readonly Outcome[];
  postgres: readonly Outcome[];
  failures: number;
}

const described = async (client: Client, sql: string): Promise<string> => {
  const { fields } = await client.query(`select ${sql} as value from rows_ limit 0`);
  const { rows } = await client.query<{ name: string }>('select format_type($1, $2) as name', [
    fields[0]?.dataTypeID,
    fields[0]?.dataTypeModifier,
  ]);
  return rows[0]?.name ?? '';
};

export const compare = async (
  duck: DuckDBConnection,
  postgres: Client,
  text: string,
  pushed: PushedExpression,
  count: number,
): Promise<Compared> => {
  const typed = await duck.runAndReadAll(`select typeof(${text}) from rows_ where n < 0 union all
    select column_type from (describe select (${text}) as value from rows_)`);
  const type = dataTypeOf(String(typed.getRows().at(-1)?.[0]));
  const left = await outcomes(count, (n) => inDuck(duck, text, n));
  const right = await outcomes(count, (n) => inPostgres(postgres, pushed.sql, n));
  return {
    types: { duck: type, postgres: await described(postgres, pushed.sql) },
    duck: left.map((value) => canonical(value, pushed.type)),
    postgres: right.map((value) => canonical(value, pushed.type)),
    failures: [...left, ...right].filter((value) => value === failed).length,
  };
};

export const expectedTypes = (type: DataType): Compared['types'] => ({
  duck: type,
  postgres: postgresType(type) ?? '',
});
