import { RunFailure } from '../../core/failures.js';
import type { Database } from './database.js';
import { folded, quoteName, quoteTable, quoteText } from './quote.js';
import type { TableName } from './quote.js';

export interface RelationColumn {
  name: string;
  /** As DuckDB calls it. */
  type: string;
  notNull: boolean;
}

export interface SplitKey {
  column: string;
  type: string;
}

/** What there is to know about a table or view before its rows are read. */
export interface Relation {
  isView: boolean;
  columns: readonly RelationColumn[];
  /** Of a table; exact but for rows that were deleted. */
  rows?: number;
  /** A column that is never null and whose values can be put in order and written down. */
  key?: SplitKey;
}

export const notThere = ({ schema, table }: TableName): RunFailure =>
  new RunFailure({
    code: 'schema_drift',
    class: 'schema',
    message: `There is no table or view ${schema}.${table} in the database.`,
  });

/** Names are equal whatever their case is. */
export const isSame = (column: string, name: string): string =>
  `lower(${column}) = ${quoteText(folded(name))}`;

const ofTable = (catalog: string, { schema, table }: TableName, column = 'table_name'): string =>
  `database_name = ${quoteText(catalog)} AND ${isSame('schema_name', schema)} AND ${isSame(column, table)}`;

const keyTypes =
  /^(U?(TINYINT|SMALLINT|INTEGER|BIGINT|HUGEINT)|DATE|TIMESTAMP|VARCHAR|UUID|DECIMAL\(.*\))$/;

/** The primary key's first column before all others. */
const keyOf = (
  columns: readonly RelationColumn[],
  primary: readonly unknown[],
): SplitKey | undefined => {
  const may = columns.filter(({ notNull, type }) => notNull && keyTypes.test(type));
  const first = may.find(({ name }) => name === primary[0]);
  // Of others nobody knows whether their values differ.
  return first && { column: first.name, type: first.type };
};

export const relationOf = async (
  database: Database,
  name: TableName,
): Promise<Relation | undefined> => {
  const { name: catalog } = database;
  const [tables, views, columns, keys] = await database.run('read', [
    `SELECT estimated_size FROM duckdb_tables() WHERE ${ofTable(catalog, name)}`,
    `SELECT 1 FROM duckdb_views() WHERE ${ofTable(catalog, name, 'view_name')}`,
    `SELECT column_name, data_type, is_nullable FROM duckdb_columns()
      WHERE ${ofTable(catalog, name)} ORDER BY column_index`,
    `SELECT constraint_column_names FROM duckdb_constraints()
      WHERE ${ofTable(catalog, name)} AND constraint_type = 'PRIMARY KEY'`,
  ]);
  const [table] = tables?.rows ?? [];
  if (!table && !views?.rows.length) return undefined;
  const found = (columns?.rows ?? []).map(([column, type, nullable]) => ({
    name: String(column),
    type: String(type),
    notNull: nullable === false,
  }));
  const [primary] = keys?.rows ?? [];
  const key = keyOf(found, (primary?.[0] ?? []) as readonly unknown[]);
  return {
    isView: !table,
    columns: found,
    ...(table ? { rows: Number(table[0]) } : {}),
    ...(key ? { key } : {}),
  };
};

const sampled = 2_000;

/** How many bytes a row has, about: those of its text. */
export const averageBytes = async (
  database: Database,
  name: TableName,
  columns: readonly RelationColumn[],
): Promise<number> => {
  const lengths = columns.map(
    (column) => `coalesce(strlen(CAST(${quoteName(column.name)} AS VARCHAR)), 0) + 1`,
  );
  const [result] = await database.run('read', [
    `SELECT avg(${lengths.join(' + ')}) FROM
       (SELECT * FROM ${quoteTable(database.name, name)} LIMIT ${sampled})`,
  ]);
  return Number(result?.rows[0]?.[0] ?? 0);
};
