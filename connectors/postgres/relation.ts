import type pg from 'pg';
import { RunFailure } from '../../core/failures.js';
import type { TableName } from './quote.js';

/** Something that has rows of its own: a table, a partition, a materialized view. */
export interface Leaf extends TableName {
  pages: number;
  /** Of the rows, out-of-line values included. */
  bytes: number;
}

export interface Relation {
  oid: number;
  /** Those it consists of, itself among them where it has rows of its own. */
  leaves: readonly Leaf[];
  /** Rows can be read by the page they are in: leaf by leaf, efficiently, and with equal rights. */
  byPages: boolean;
  /** The server has looked at the rows: what it expects of conditions is worth something. */
  counted: boolean;
  /** The rows are those that a snapshot shows: nothing in it is another system's. */
  local: boolean;
  /** Columns that are never null, and together never the same twice. */
  key?: readonly string[];
  notNull: ReadonlySet<number>;
}

interface RelationRow {
  oid: string;
  kind: string;
  guarded: boolean;
  version: number;
}

const relationSql = `
  select c.oid::int8::text as oid, c.relkind as kind, row_security_active(c.oid) as guarded,
         current_setting('server_version_num')::int as version
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
   where n.nspname = $1 and c.relname = $2 and c.relkind in ('r', 'p', 'v', 'm', 'f')`;

interface LeafRow {
  oid: string;
  schema: string;
  table: string;
  kind: string;
  heap: boolean;
  open: boolean;
  counted: boolean;
  pages: string;
  bytes: string;
}

/** A child may be reached in more than one way, and has its rows only once. */
const leavesSql = `
  with recursive tree (oid) as (
    select $1::oid
    union
    select i.inhrelid from pg_inherits i join tree on i.inhparent = tree.oid
  )
  select c.oid::int8::text as oid, n.nspname as schema, c.relname as table, c.relkind as kind,
         coalesce(a.amname = 'heap', false) as heap,
         has_table_privilege(c.oid, 'select') and not row_security_active(c.oid) as open,
         c.reltuples > 0 or coalesce(pg_relation_size(c.oid), 0) = 0 as counted,
         coalesce(pg_relation_size(c.oid) / current_setting('block_size')::int8, 0) as pages,
         coalesce(pg_relation_size(c.oid), 0)
           + coalesce(pg_relation_size(nullif(c.reltoastrelid, 0)), 0) as bytes
    from tree
    join pg_class c on c.oid = tree.oid
    join pg_namespace n on n.oid = c.relnamespace
    left join pg_am a on a.oid = c.relam
   where c.relkind <> 'p'
   order by n.nspname, c.relname`;

/** A constraint that was added without looking at the rows promises nothing about them. */
const notNullSql = `
  select a.attnum from pg_attribute a
   where a.attrelid = $1 and a.attnum > 0 and a.attnotnull and not a.attisdropped
     and not exists (select 1 from pg_constraint k
                      where k.conrelid = a.attrelid and k.contype = 'n'
                        and not k.convalidated and k.conkey[1] = a.attnum)`;

/**
 * Types that have one order, and that text brings back as they were: integers, numbers, texts,
 * moments, uuid, bytes.
 */
const orderable = '{17,19,20,21,23,25,26,700,701,1042,1043,1082,1083,1114,1184,1700,2950}';

/** The primary key first, then what is shortest. */
const keysSql = `
  select array(select a.attname::text
                 from unnest(i.indkey::int2[]) with ordinality k (attnum, n)
                 join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.attnum
                where k.n <= i.indnkeyatts order by k.n) as columns,
         array(select k.attnum from unnest(i.indkey::int2[]) with ordinality k (attnum, n)
                where k.n <= i.indnkeyatts order by k.n) as numbers
    from pg_index i
   where i.indrelid = $1 and i.indisunique and i.indisvalid and i.indislive
     and i.indpred is null and i.indexprs is null
     and not exists (
       select 1 from unnest(i.indkey::int2[]) with ordinality k (attnum, n)
         join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.attnum
         join pg_type t on t.oid = a.atttypid
        where k.n <= i.indnkeyatts
          and case when t.typtype = 'd' then t.typbasetype else t.oid end <> all ($2::oid[]))
   order by i.indisprimary desc, i.indnkeyatts, i.indexrelid`;

const notThere = ({ schema, table }: TableName): RunFailure =>
  new RunFailure({
    code: 'schema_drift',
    class: 'schema',
    message: `There is no table or view ${schema}.${table}, or the user may not see it.`,
  });

const keyOf = async (
  client: pg.Client,
  oid: string,
  notNull: ReadonlySet<number>,
): Promise<readonly string[] | undefined> => {
  const { rows } = await client.query<{ columns: string[]; numbers: number[] }>(keysSql, [
    oid,
    orderable,
  ]);
  return rows.find(({ numbers }) => numbers.every((number) => notNull.has(number)))?.columns;
};

const notNullOf = async (client: pg.Client, oid: string): Promise<Set<number>> => {
  const { rows } = await client.query<{ attnum: number }>(notNullSql, [oid]);
  return new Set(rows.map(({ attnum }) => attnum));
};

/** Before this version the server has no scan of a range of pages: it would read all of them. */
const firstWithRangeScans = 140_000;

/** What there is to know about a table before its rows are read. */
export const relationOf = async (client: pg.Client, name: TableName): Promise<Relation> => {
  const found = await client.query<RelationRow>(relationSql, [name.schema, name.table]);
  const row = found.rows[0];
  if (!row) throw notThere(name);
  const oid = Number(row.oid);
  if (row.kind === 'v') {
    return { oid, leaves: [], byPages: false, counted: false, local: false, notNull: new Set() };
  }
  const { rows: parts } = await client.query<LeafRow>(leavesSql, [row.oid]);
  const whole = parts.length === 1 && parts[0]?.oid === row.oid;
  // Children of a plain table need not have its keys, nor all of its constraints.
  const inherited = row.kind === 'r' && !whole;
  const local = parts.every(({ kind }) => kind !== 'f');
  const notNull = inherited || !local ? new Set<number>() : await notNullOf(client, row.oid);
  const key = inherited || !local ? undefined : await keyOf(client, row.oid, notNull);
  const reachable = whole || (!row.guarded && parts.every(({ open }) => open));
  return {
    oid,
    leaves: parts.map((part) => ({
      schema: part.schema,
      table: part.table,
      pages: Number(part.pages),
      bytes: Number(part.bytes),
    })),
    byPages:
      row.version >= firstWithRangeScans && local && reachable && parts.every(({ heap }) => heap),
    counted: parts.every(({ counted }) => counted),
    local,
    ...(key ? { key } : {}),
    notNull,
  };
};

/**
 * A snapshot shows the rows that were there, but where the table now keeps them is no part of it:
 * TRUNCATE, VACUUM FULL, CLUSTER and another table under the same name go past it.
 */
const unmovedSql = `
  select count(*)::int as unmoved
    from unnest($1::text[], $2::text[]) wanted (schema, name)
    join pg_namespace n on n.nspname = wanted.schema
    join pg_class c on c.relnamespace = n.oid and c.relname = wanted.name
   where to_regclass(format('%I.%I', wanted.schema, wanted.name)) = c.oid
     and (c.relfilenode = 0 or c.relfilenode = pg_relation_filenode(c.oid))`;

/** Whether a table is still where the transaction's snapshot has it. Its lock is to be held. */
export const areUnmoved = async (
  client: pg.Client,
  names: readonly TableName[],
): Promise<boolean> => {
  const { rows } = await client.query<{ unmoved: number }>(unmovedSql, [
    names.map(({ schema }) => schema),
    names.map(({ table }) => table),
  ]);
  return rows[0]?.unmoved === names.length;
};
