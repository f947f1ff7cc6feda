import type pg from 'pg';
import { copyName } from './indexes.js';
import type { IndexRow } from './indexes.js';
import { quoteName, quoteTable, quoteText } from './quote.js';
import type { TableName } from './quote.js';

/** Written by the server itself: statements that make one table what another one is to people. */
const statementsSql = `
  with t as (select * from pg_class where oid = $1::oid),
       s as (select oid::regclass::text as sql, * from pg_class where oid = $2::oid),
  held as (select distinct a.grantee
             from s, aclexplode(coalesce(s.relacl, acldefault('r', s.relowner))) a),
  granted as (select a.* from t, aclexplode(coalesce(t.relacl, acldefault('r', t.relowner))) a)
  select array(
    select format('revoke all on table %s from %s', s.sql, who.name)
      from s, held, lateral (select case held.grantee when 0 then 'public'
                                    else quote_ident(pg_get_userbyid(held.grantee)) end as name) who
  ) || array(
    select format('grant %s on table %s to %s%s', g.privilege_type, s.sql,
                  case g.grantee when 0 then 'public'
                       else quote_ident(pg_get_userbyid(g.grantee)) end,
                  case when g.is_grantable then ' with grant option' end)
      from s, granted g
  ) || array(
    select format('comment on table %s is %L', s.sql, obj_description(t.oid, 'pg_class'))
      from s, t where obj_description(t.oid, 'pg_class') is not null
  ) || array(
    select format('alter table %s alter column %I set statistics %s', s.sql, attname, attstattarget)
      from s, pg_attribute where attrelid = $1::oid and attnum > 0 and not attisdropped
       and attstattarget >= 0
  ) || array(
    select format('alter table %s alter column %I set (%s)', s.sql, attname,
                  array_to_string(attoptions, ', '))
      from s, pg_attribute where attrelid = $1::oid and attnum > 0 and not attisdropped
       and attoptions is not null
  ) || array(
    select format('alter table %s owner to %I', s.sql, pg_get_userbyid(t.relowner))
      from s, t where t.relowner <> s.relowner
  ) as statements`;

/** Grants, comments, statistics targets and owner; columns and storage are alike from the start. */
export const readProperties = async (
  client: pg.Client,
  target: number,
  shadow: number,
): Promise<string[]> => {
  const { rows } = await client.query<{ statements: string[] }>(statementsSql, [target, shadow]);
  return rows[0]?.statements ?? [];
};

const constraintSql = (table: string, copy: string, index: IndexRow): string => {
  const kind = index.kind === 'p' ? 'primary key' : 'unique';
  const deferrable = index.deferrable ? ' deferrable' : '';
  const deferred = index.deferred ? ' initially deferred' : '';
  const name = quoteName(index.constraint ?? index.name);
  return `alter table ${table} add constraint ${name} ${kind} using index ${copy}${deferrable}${deferred}`;
};

/** Makes the copies of a table's indexes what the originals were; those are gone by now. */
export const adoptIndexes = async (
  client: pg.Client,
  name: TableName,
  shadow: TableName,
  indexes: readonly IndexRow[],
): Promise<void> => {
  const table = quoteTable(name);
  for (const index of indexes) {
    const copy = copyName(shadow, index);
    await client.query(
      index.constraint === null
        ? `alter index ${quoteTable({ ...name, table: copy })} rename to ${quoteName(index.name)}`
        : constraintSql(table, quoteName(copy), index),
    );
    if (index.clustered) {
      await client.query(`alter table ${table} cluster on ${quoteName(index.name)}`);
    }
    if (index.comment !== null) {
      const own = quoteTable({ ...name, table: index.name });
      await client.query(`comment on index ${own} is ${quoteText(index.comment)}`);
    }
    if (index.constraint !== null && index.constraintComment !== null) {
      await client.query(
        `comment on constraint ${quoteName(index.constraint)} on ${table} is ${quoteText(index.constraintComment)}`,
      );
    }
  }
};
