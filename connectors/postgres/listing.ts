import type pg from 'pg';
import type { NamePage, PageWanted, TableColumn, TableInfo } from '../../core/browse.js';
import type { TableName } from './quote.js';

/** One more than is wanted says whether there are more. */
const pageOf = <Item extends { name: string }>(
  rows: readonly Item[],
  { limit }: PageWanted,
): NamePage<Item> => {
  const items = rows.slice(0, limit);
  return { items, next: rows.length > limit ? (items.at(-1)?.name ?? null) : null };
};

/**
 * `$1` search, `$2` after, `$3` limit. Names are in the order of their bytes, which is that of the
 * catalog's indexes: a page is read off an index, however many names there are.
 */
const paged = (name: string): string =>
  `($1::text is null or position(lower($1 collate "default") in lower(${name}::text collate "default")) > 0)
   and ($2::text is null or ${name} > $2::text)
   order by ${name} limit $3`;

const pageValues = ({ search, after, limit }: PageWanted): unknown[] => [
  search ?? null,
  after ?? null,
  limit + 1,
];

/** Those that people make, and may use. */
const schemaSql = `n.nspname !~ '^pg_' and n.nspname not in ('information_schema', '_fluxline')
  and has_schema_privilege(n.oid, 'usage')`;

export const listSchemas = async (
  client: pg.Client,
  page: PageWanted,
): Promise<NamePage<{ name: string }>> => {
  const { rows } = await client.query<{ name: string }>(
    `select n.nspname as name from pg_namespace n where ${schemaSql} and ${paged('n.nspname')}`,
    pageValues(page),
  );
  return pageOf(rows, page);
};

/** A role that may do nothing with a table has no use for its name. */
const usableSql = `(has_table_privilege(c.oid, 'select, insert, update, delete')
  or has_any_column_privilege(c.oid, 'select, insert, update'))`;

/** Partitions are a part of their table; foreign tables are tables, materialized views views. */
const tablesSql = `
  select c.relname as name, case when c.relkind in ('v', 'm') then 'VIEW' else 'TABLE' end as type,
         obj_description(c.oid, 'pg_class') as comment
    from pg_class c
   where c.relnamespace = $4::oid and c.relkind in ('r', 'p', 'f', 'v', 'm')
     and not c.relispartition and ${usableSql} and ${paged('c.relname')}`;

export const listTables = async (
  client: pg.Client,
  schema: string,
  page: PageWanted,
): Promise<NamePage<TableInfo> | undefined> => {
  const found = await client.query<{ oid: string }>(
    `select n.oid::int8::text as oid from pg_namespace n
      where n.nspname = $1 and has_schema_privilege(n.oid, 'usage')`,
    [schema],
  );
  const oid = found.rows[0]?.oid;
  if (oid === undefined) return undefined;
  const { rows } = await client.query<TableInfo>(tablesSql, [...pageValues(page), oid]);
  return pageOf(rows, page);
};

const columnsSql = `
  select a.attname as name, format_type(a.atttypid, a.atttypmod) as type,
         not (a.attnotnull or t.typnotnull) as nullable,
         (select k.n::int from pg_index i, unnest(i.indkey::int2[]) with ordinality k (attnum, n)
           where i.indrelid = a.attrelid and i.indisprimary and k.attnum = a.attnum
             and k.n <= i.indnkeyatts) as key,
         col_description(a.attrelid, a.attnum) as comment
    from pg_attribute a join pg_type t on t.oid = a.atttypid
   where a.attrelid = $1::oid and a.attnum > 0 and not a.attisdropped
   order by a.attnum`;

/** Undefined where there is no such table, or none that the user may know of. */
const oidOf = async (
  client: pg.Client,
  { schema, table }: TableName,
): Promise<string | undefined> => {
  const { rows } = await client.query<{ oid: string }>(
    `select c.oid::int8::text as oid from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = $1 and c.relname = $2 and c.relkind in ('r', 'p', 'f', 'v', 'm')`,
    [schema, table],
  );
  return rows[0]?.oid;
};

export const hasTable = async (client: pg.Client, name: TableName): Promise<boolean> =>
  (await oidOf(client, name)) !== undefined;

export const listColumns = async (
  client: pg.Client,
  name: TableName,
): Promise<readonly TableColumn[] | undefined> => {
  const oid = await oidOf(client, name);
  if (oid === undefined) return undefined;
  const { rows } = await client.query<TableColumn>(columnsSql, [oid]);
  return rows;
};

/**
 * A session sees one database: of the others only the names are known here. Their schemas are
 * listed by a connection to them.
 */
export const listCatalogs = async (
  client: pg.Client,
  page: PageWanted,
): Promise<NamePage<{ name: string; schemas: readonly string[] }>> => {
  const { rows } = await client.query<{ name: string; schemas: string[] }>(
    `select d.datname as name,
            case when d.datname = current_database()
                 then array(select n.nspname::text from pg_namespace n where ${schemaSql} order by 1)
                 else '{}' end as schemas
       from pg_database d
      where d.datallowconn and not d.datistemplate and has_database_privilege(d.oid, 'connect')
        and ${paged('d.datname')}`,
    pageValues(page),
  );
  return pageOf(rows, page);
};
