import type pg from 'pg';
import { quoteName, quoteTable } from './quote.js';
import type { TableName } from './quote.js';

export interface TargetColumn {
  name: string;
  /** As DDL writes it, with its length or precision. */
  type: string;
  notNull: boolean;
  /** Computed by the table. */
  generated: boolean;
  /** `always` and `byDefault` number rows themselves. */
  identity: 'always' | 'byDefault' | null;
}

export interface Target {
  /** Quoted, for statements. */
  sql: string;
  oid: number;
  /** As in pg_class: r(elation), p(artitioned), v(iew), m(aterialized view), f(oreign)… */
  kind: string;
  columns: ReadonlyMap<string, TargetColumn>;
}

const describeSql = `
  select c.oid::bigint::text as oid, c.relkind::text as kind,
         coalesce((
           select json_agg(json_build_object(
                    'name', a.attname, 'type', format_type(a.atttypid, a.atttypmod),
                    'notNull', a.attnotnull, 'generated', a.attgenerated <> '',
                    'identity', case a.attidentity when 'a' then 'always'
                                                   when 'd' then 'byDefault' end)
                  order by a.attnum)
             from pg_attribute a
            where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped), '[]') as columns
    from pg_class c where c.oid = to_regclass($1)`;

/** A table as it is now; undefined where there is none. */
export const describeTable = async (
  client: pg.Client,
  name: TableName,
): Promise<Target | undefined> => {
  const { rows } = await client.query<{ oid: string; kind: string; columns: TargetColumn[] }>(
    describeSql,
    [quoteTable(name)],
  );
  const row = rows[0];
  return row
    ? {
        sql: quoteTable(name),
        oid: Number(row.oid),
        kind: row.kind,
        columns: new Map(row.columns.map((column) => [column.name, column])),
      }
    : undefined;
};

/** Names for a statement, in order. */
export const nameList = (names: readonly string[], prefix = ''): string =>
  names.map((name) => `${prefix}${quoteName(name)}`).join(', ');

/** Two runs may meet where a table has to be created: the second one finds it. */
export const lockName = async (client: pg.Client, name: TableName): Promise<void> => {
  await client.query(`select pg_advisory_xact_lock(hashtextextended($1, 0))`, [
    `_fluxline.${quoteTable(name)}`,
  ]);
};

/**
 * Waiting for a lock on a table holds up everybody behind it: rather give up and come back. What
 * the connection's own options say goes before.
 */
export const limitLocks = async (client: pg.Client, seconds: number): Promise<void> => {
  await client.query(
    `select set_config('lock_timeout', $1, true) where current_setting('lock_timeout') = '0'`,
    [`${seconds}s`],
  );
};
