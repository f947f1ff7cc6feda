import type { NamePage, PageWanted, TableColumn, TableInfo } from '../../core/browse.js';
import { quoteText } from './quote.js';
import type { TableName } from './quote.js';
import type { Row, Session } from './session.js';

/** One more than is wanted says whether there are more. */
const pageOf = <Item extends { name: string }>(
  items: readonly Item[],
  { limit }: PageWanted,
): NamePage<Item> => {
  const shown = items.slice(0, limit);
  return { items: shown, next: items.length > limit ? (shown.at(-1)?.name ?? null) : null };
};

/** In the order of their bytes: one that every name has, whatever the server's collation is. */
const paged = (name: string, { search, after, limit }: PageWanted): string => {
  const text = `convert(${name} using utf8mb4) collate utf8mb4_bin`;
  const found =
    search === undefined ? '' : `and locate(lower(${quoteText(search)}), lower(${text})) > 0`;
  const later = after === undefined ? '' : `and ${text} > ${quoteText(after)}`;
  return `${found} ${later} order by ${text} limit ${limit + 1}`;
};

const systemSchemas = `('information_schema', 'performance_schema', 'mysql', 'sys')`;

export const listSchemas = async (
  session: Session,
  page: PageWanted,
): Promise<NamePage<{ name: string }>> => {
  const rows = await session.rows(
    `select schema_name as name from information_schema.schemata
      where schema_name not in ${systemSchemas} ${paged('schema_name', page)}`,
  );
  return pageOf(
    rows.map(({ name }) => ({ name: name ?? '' })),
    page,
  );
};

const textOrNull = (text: string | null | undefined): string | null =>
  text === undefined || text === '' ? null : text;

/** A view has the word VIEW where a table has its comment. */
const tableOf = ({ name, type, comment }: Row): TableInfo => {
  const isView = type?.includes('VIEW') ?? false;
  return {
    name: name ?? '',
    type: isView ? 'VIEW' : 'TABLE',
    comment: isView ? null : textOrNull(comment),
  };
};

export const listTables = async (
  session: Session,
  schema: string,
  page: PageWanted,
): Promise<NamePage<TableInfo> | undefined> => {
  const there = await session.rows(
    'select 1 as one from information_schema.schemata where schema_name = ?',
    [schema],
  );
  if (there.length === 0) return undefined;
  const rows = await session.rows(
    `select table_name as name, table_type as type, table_comment as comment
       from information_schema.tables
      where table_schema = ${quoteText(schema)} and table_name not like '\\_fluxline\\_%'
            ${paged('table_name', page)}`,
  );
  return pageOf(rows.map(tableOf), page);
};

const columnsSql = `
  select c.column_name as name, c.column_type as type, c.is_nullable as nullable,
         k.seq_in_index as place, c.column_comment as comment
    from information_schema.columns c
    left join information_schema.statistics k
      on k.table_schema = c.table_schema and k.table_name = c.table_name
     and k.column_name = c.column_name and k.index_name = 'PRIMARY'
   where c.table_schema = ? and c.table_name = ? and c.column_name <> '_fluxline_commit'
   order by c.ordinal_position`;

/** Undefined where there is no such table, or none that the user may know of. */
export const listColumns = async (
  session: Session,
  { schema, table }: TableName,
): Promise<readonly TableColumn[] | undefined> => {
  const rows = await session.rows(columnsSql, [schema, table]);
  if (rows.length === 0) return undefined;
  return rows.map(({ name, type, nullable, place, comment }) => ({
    name: name ?? '',
    type: type ?? '',
    nullable: nullable === 'YES',
    key: place == null ? null : Number(place),
    comment: textOrNull(comment),
  }));
};
