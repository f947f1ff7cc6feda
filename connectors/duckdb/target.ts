import type { Database } from './database.js';
import { folded, quoteText } from './quote.js';
import type { TableName } from './quote.js';
import { isSame, relationOf } from './relation.js';
import type { RelationColumn } from './relation.js';

export interface Reference {
  columns: readonly string[];
  table: string;
  referenced: readonly string[];
}

/** A table as it is, with what it has against rows. */
export interface Target {
  isView: boolean;
  /** By their names in lower case, which is all that DuckDB looks at. */
  columns: ReadonlyMap<string, RelationColumn>;
  checks: readonly { expression: string; columns: readonly string[] }[];
  /** Expressions of each unique key or index. */
  uniques: readonly (readonly string[])[];
  references: readonly Reference[];
}

export const columnOf = ({ columns }: Target, name: string): RelationColumn | undefined =>
  columns.get(folded(name));

const texts = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);

const ofTable = (catalog: string, { schema, table }: TableName): string =>
  `database_name = ${quoteText(catalog)} AND ${isSame('schema_name', schema)}
     AND ${isSame('table_name', table)}`;

/** Undefined where there is no such table. */
export const describeTable = async (
  database: Database,
  name: TableName,
): Promise<Target | undefined> => {
  const relation = await relationOf(database, name);
  if (!relation) return undefined;
  const { name: catalog } = database;
  const [constraints, indexes] = await database.run('read', [
    `SELECT constraint_type, expression, constraint_column_names, referenced_table,
            referenced_column_names
       FROM duckdb_constraints() WHERE ${ofTable(catalog, name)} ORDER BY constraint_index`,
    `SELECT CAST(expressions AS VARCHAR[]) FROM duckdb_indexes()
      WHERE ${ofTable(catalog, name)} AND is_unique ORDER BY index_name`,
  ]);
  const found = (constraints?.rows ?? []).map(([kind, expression, columns, table, referenced]) => ({
    kind: String(kind),
    expression: String(expression),
    columns: texts(columns),
    table: String(table),
    referenced: texts(referenced),
  }));
  const ofKind = (...kinds: string[]) => found.filter(({ kind }) => kinds.includes(kind));
  const quoted = (column: string): string => `"${column.replaceAll('"', '""')}"`;
  return {
    isView: relation.isView,
    columns: new Map(relation.columns.map((column) => [folded(column.name), column])),
    checks: ofKind('CHECK').map(({ expression, columns }) => ({ expression, columns })),
    uniques: [
      ...ofKind('PRIMARY KEY', 'UNIQUE').map(({ columns }) => columns.map(quoted)),
      ...(indexes?.rows ?? []).map(([expressions]) => texts(expressions)),
    ],
    references: ofKind('FOREIGN KEY').map(({ columns, table, referenced }) => ({
      columns,
      table,
      referenced,
    })),
  };
};
