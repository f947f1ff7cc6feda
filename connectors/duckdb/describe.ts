import { createHash } from 'node:crypto';
import type { Column } from '../connector.js';
import type { Database } from './database.js';
import { nameList, quoteName } from './quote.js';
import { toText } from './toText.js';
import { dataTypeOf } from './types.js';

/** A column of a query, in DuckDB's own words. */
export interface Described {
  name: string;
  type: string;
}

export const describeSql = (sql: string): string => `DESCRIBE ${sql}`;

export const describedOf = (rows: readonly (readonly unknown[])[]): Described[] =>
  rows.map(([name, type]) => ({ name: String(name), type: String(type) }));

export const describe = async (database: Database, sql: string): Promise<Described[]> => {
  const [result] = await database.run('read', [describeSql(sql)]);
  return describedOf(result?.rows ?? []);
};

/** `required`: columns that are never NULL. */
export const columnsOf = (
  described: readonly Described[],
  required: ReadonlySet<string> = new Set(),
): Column[] =>
  described.map(({ name, type }) => ({
    name,
    type: dataTypeOf(type),
    nullable: !required.has(name),
    native: { system: 'duckdb', type, portable: true },
  }));

/** Changes with the names and types of columns. */
export const signatureOf = (described: readonly Described[]): string =>
  createHash('sha256').update(JSON.stringify(described)).digest('hex').slice(0, 16);

/** Columns by their places: two of a query may have one name. */
export const slot = (index: number): string => quoteName(`c${index}`);

/** The rows of a query as text. */
export const textSelect = (sql: string, described: readonly Described[]): string => {
  const slots = described.map((_, index) => `c${index}`);
  const texts = described.map(
    ({ type }, index) => `${toText(slot(index), type)} AS ${slot(index)}`,
  );
  return `SELECT ${texts.join(', ')} FROM (${sql}) AS fluxline_rows(${nameList(slots)})`;
};

/** The bytes of a row of texts, about. */
export const rowBytes = (described: readonly Described[]): string =>
  described.map((_, index) => `coalesce(strlen(${slot(index)}), 0)`).join(' + ') || '0';
