import type pg from 'pg';
import { quoteName } from './quote.js';
import { nameList } from './table.js';
import type { Target } from './table.js';

/** Where the rows of this transaction's inserts stand. */
const writtenTable = 'pg_temp."_fluxline_written"';

/** Inserts, notes down where each row went, and says how many there were. */
export const insertAndNote = async (client: pg.Client, insert: string): Promise<number> => {
  await client.query(
    `create temp table if not exists "_fluxline_written" (relation oid, place tid) on commit drop`,
  );
  const { rowCount } = await client.query(
    `with written as (${insert} returning tableoid, ctid)
     insert into ${writtenTable} select tableoid, ctid from written`,
  );
  return rowCount ?? 0;
};

/**
 * The rows as they stand now, wherever in the table they went: found by place, since a search by
 * transaction would read all of the table for every split.
 */
export const standingSql = async (
  client: pg.Client,
  target: Target,
  columns: readonly string[],
): Promise<string> => {
  const { rows } = await client.query<{ oid: string; sql: string }>(
    `select distinct relation::bigint::text as oid, relation::regclass::text as sql
       from ${writtenTable}`,
  );
  const list = nameList(columns, 'r.');
  const parts = rows.map(
    ({ oid, sql }) =>
      `select ${list} from only ${sql} r join ${writtenTable} w on w.place = r.ctid
        where w.relation = ${oid}`,
  );
  const none = `select ${columns.map(quoteName).join(', ')} from ${target.sql} where false`;
  return `(${parts.length > 0 ? parts.join(' union all ') : none})`;
};

/**
 * What the server itself has counted of rows that came into the table in this transaction, by us or
 * by a trigger; nothing where it is told not to count.
 */
export const insertedRows = async (client: pg.Client, { oid }: Target): Promise<number> => {
  const { rows } = await client.query<{ count: string | null }>(
    `select sum(pg_stat_get_xact_tuples_inserted(c.oid)) as count from pg_class c
      where c.oid = $1 or c.oid in (select relid from pg_partition_tree($1::oid::regclass))`,
    [oid],
  );
  return Number(rows[0]?.count ?? 0);
};
