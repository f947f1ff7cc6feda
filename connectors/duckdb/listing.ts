import type { NamePage, PageWanted, TableColumn, TableInfo } from '../../core/browse.js';
import type { Database } from './database.js';
import { folded, quoteText } from './quote.js';
import type { TableName } from './quote.js';
import { isSame } from './relation.js';

/** One more than is wanted says whether there are more. */
const pageOf = <Item extends { name: string }>(
  items: readonly Item[],
  { limit }: PageWanted,
): NamePage<Item> => {
  const shown = items.slice(0, limit);
  return { items: shown, next: items.length > limit ? (shown.at(-1)?.name ?? null) : null };
};

const paged = (name: string, { search, after, limit }: PageWanted): string => {
  const found =
    search === undefined ? '' : `AND contains(lower(${name}), lower(${quoteText(search)}))`;
  const later = after === undefined ? '' : `AND ${name} > ${quoteText(after)}`;
  return `${found} ${later} ORDER BY ${name} LIMIT ${limit + 1}`;
};

/** Ours is nobody else's business. */
const ownSchema = `schema_name <> '_fluxline'`;

const inFile = ({ name }: Database): string => `database_name = ${quoteText(name)}`;

export const listSchemas = async (
  database: Database,
  page: PageWanted,
): Promise<NamePage<{ name: string }>> => {
  const [found] = await database.run('read', [
    `SELECT schema_name FROM duckdb_schemas() WHERE ${inFile(database)} AND ${ownSchema}
       ${paged('schema_name', page)}`,
  ]);
  return pageOf(
    (found?.rows ?? []).map(([name]) => ({ name: String(name) })),
    page,
  );
};

/** The file is the only one there is. */
export const listCatalogs = async (
  database: Database,
  { search, after, limit }: PageWanted,
): Promise<NamePage<{ name: string; schemas: readonly string[] }>> => {
  const { name } = database;
  const isWanted =
    (search === undefined || folded(name).includes(folded(search))) &&
    (after === undefined || name > after) &&
    limit > 0;
  if (!isWanted) return { items: [], next: null };
  const { items } = await listSchemas(database, { limit: 10_000 });
  return { items: [{ name, schemas: items.map((schema) => schema.name) }], next: null };
};

const textOrNull = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' ? value : null;

const tableOf = ([name, type, comment]: readonly unknown[]): TableInfo => ({
  name: String(name),
  type: type === 'VIEW' ? 'VIEW' : 'TABLE',
  comment: textOrNull(comment),
});

export const listTables = async (
  database: Database,
  schema: string,
  page: PageWanted,
): Promise<NamePage<TableInfo> | undefined> => {
  const inSchema = `${inFile(database)} AND ${isSame('schema_name', schema)} AND ${ownSchema}`;
  const [there, found] = await database.run('read', [
    `SELECT 1 FROM duckdb_schemas() WHERE ${inSchema}`,
    `SELECT name, type, comment FROM (
       SELECT table_name AS name, 'TABLE' AS type, comment FROM duckdb_tables() WHERE ${inSchema}
       UNION ALL
       SELECT view_name, 'VIEW', comment FROM duckdb_views() WHERE ${inSchema} AND NOT internal)
      WHERE true ${paged('name', page)}`,
  ]);
  return there?.rows.length ? pageOf((found?.rows ?? []).map(tableOf), page) : undefined;
};

/** Undefined where there is no such table. */
export const listColumns = async (
  database: Database,
  { schema, table }: TableName,
): Promise<readonly TableColumn[] | undefined> => {
  const ofTable = `${inFile(database)} AND ${isSame('schema_name', schema)} AND ${ownSchema}
    AND ${isSame('table_name', table)}`;
  const [columns, keys] = await database.run('read', [
    `SELECT column_name, data_type, is_nullable, comment FROM duckdb_columns()
      WHERE ${ofTable} AND NOT internal ORDER BY column_index`,
    `SELECT constraint_column_names FROM duckdb_constraints()
      WHERE ${ofTable} AND constraint_type = 'PRIMARY KEY'`,
  ]);
  if (!columns?.rows.length) return undefined;
  const key = (keys?.rows[0]?.[0] ?? []) as readonly unknown[];
  return columns.rows.map(([name, type, nullable, comment]) => {
    const place = key.indexOf(name);
    return {
      name: String(name),
      type: String(type),
      nullable: nullable === true,
      key: place < 0 ? null : place + 1,
      comment: textOrNull(comment),
    };
  });
};
