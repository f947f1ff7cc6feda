import type pg from 'pg';
import { quoteName } from './quote.js';
import type { TableName } from './quote.js';

export interface IndexRow {
  oid: string;
  name: string;
  unique: boolean;
  clustered: boolean;
  /** From USING on, as CREATE INDEX has it; null where it cannot be made again like that. */
  rest: string | null;
  tablespace: string | null;
  comment: string | null;
  constraint: string | null;
  constraintComment: string | null;
  /** p(rimary), u(nique), x (exclusion). */
  kind: string | null;
  deferrable: boolean;
  deferred: boolean;
}

/** The text before USING names table and index; it is cut off by writing it in the same way. */
const indexesSql = `
  select i.indexrelid::text as oid, c.relname::text as name, i.indisunique as unique,
         i.indisclustered as clustered, s.spcname::text as tablespace,
         obj_description(i.indexrelid, 'pg_class') as comment,
         k.conname::text as constraint, k.contype::text as kind,
         obj_description(k.oid, 'pg_constraint') as "constraintComment",
         coalesce(k.condeferrable, false) as deferrable, coalesce(k.condeferred, false) as deferred,
         case when starts_with(d.def, d.head) then substr(d.def, length(d.head) + 1) end as rest
    from pg_index i
    join pg_class c on c.oid = i.indexrelid
    join pg_class t on t.oid = i.indrelid
    join pg_namespace n on n.oid = t.relnamespace
    left join pg_tablespace s on s.oid = c.reltablespace
    left join pg_constraint k on k.conindid = i.indexrelid and k.contype in ('p', 'u', 'x')
   cross join lateral (select
         pg_get_indexdef(i.indexrelid) as def,
         format('CREATE %sINDEX %I ON %s%I.%I USING ', case when i.indisunique then 'UNIQUE ' end,
                c.relname, case when t.relkind = 'p' then 'ONLY ' end, n.nspname, t.relname) as head
         ) d
   where i.indrelid = $1 and i.indisvalid
   order by i.indexrelid`;

export const indexesOf = async (client: pg.Client, oid: number): Promise<IndexRow[]> => {
  const { rows } = await client.query<IndexRow>(indexesSql, [oid]);
  return rows;
};

/** What the copy of an index is called until it takes the name of its original. */
export const copyName = (shadow: TableName, index: IndexRow): string =>
  `${shadow.table}_${index.oid}`;

/** Makes those indexes on the shadow that are not there yet. */
export const copyIndexes = async (
  client: pg.Client,
  shadow: TableName,
  shadowSql: string,
  indexes: readonly IndexRow[],
): Promise<void> => {
  for (const index of indexes) {
    if (index.rest === null || index.kind === 'x') continue;
    // TABLESPACE comes before WHERE, and so is set by what new relations go to.
    const space = index.tablespace ?? '';
    await client.query(`select set_config('default_tablespace', $1, true)`, [space]);
    const unique = index.unique ? 'unique ' : '';
    await client.query(
      `create ${unique}index if not exists ${quoteName(copyName(shadow, index))} on ${shadowSql} using ${index.rest}`,
    );
  }
};
