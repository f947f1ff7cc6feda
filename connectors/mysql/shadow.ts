import type { Column, Delivery } from '../connector.js';
import { createTable } from './createTable.js';
import { nameList, quoteName, quoteTable } from './quote.js';
import type { TableName } from './quote.js';
import type { Session } from './session.js';
import { describeTable } from './target.js';
import type { Target } from './target.js';
import { deliveryDigest } from './turns.js';

const prefix = '_fluxline_';

/** The table in which a generation's rows gather until all of them are there. */
export const shadowOf = ({ schema }: TableName, delivery: Delivery): TableName => ({
  schema,
  table: `${prefix}${deliveryDigest(delivery)}_${delivery.generation}`,
});

/** What stood in a table's place before it was replaced, until it is dropped. */
export const formerOf = ({ schema }: TableName, delivery: Delivery): TableName => ({
  schema,
  table: `${prefix}${deliveryDigest(delivery)}_${delivery.generation}_old`,
});

/** It has what the target has against rows, so that bad ones are found while their split is written. */
export const createShadow = async (
  session: Session,
  shadow: TableName,
  target: Target | undefined,
  columns: readonly Column[],
): Promise<void> => {
  const sql = quoteTable(shadow);
  if (target) await session.run(`create table if not exists ${sql} like ${target.sql}`);
  else await createTable(session, sql, columns, { keys: [], traced: false });
};

export const splitColumn = quoteName('_fluxline_split');

/** Which split has written a key, where an upsert's splits are not to overwrite each other. */
export const createLedger = async (
  session: Session,
  ledger: TableName,
  target: Target,
  keys: readonly string[],
): Promise<void> => {
  await session.run(
    `create table if not exists ${quoteTable(ledger)}
       (${splitColumn} int not null, primary key (${nameList(keys)}))
     engine = InnoDB select ${nameList(keys)}, 0 as ${splitColumn} from ${target.sql} limit 0`,
  );
};

export const dropOwn = async (session: Session, name: TableName): Promise<boolean> => {
  const there = await describeTable(session, name);
  if (there) await session.run(`drop table if exists ${there.sql}`);
  return there !== undefined;
};

/**
 * Tables of runs that nobody has gone on with for a week. A retry after that starts over. Their
 * names are ours: nothing else is dropped.
 */
const abandonedSql = `
  select t.table_schema as schema_name, t.table_name as name
    from information_schema.tables t
   where t.table_schema = ? and t.table_name regexp '^_fluxline_[0-9a-f]{32}_[0-9]+(_old)?$'
     and t.create_time < now() - interval 7 day
     and not exists (select 1 from _fluxline_stages s
                      where s.shadow = convert(t.table_name using utf8mb4) collate utf8mb4_bin
                        and s.touched_at > now() - interval 7 day)
   limit 20`;

export const dropAbandoned = async (session: Session, { schema }: TableName): Promise<void> => {
  for (const row of await session.rows(abandonedSql, [schema])) {
    await dropOwn(session, { schema: row['schema_name'] ?? '', table: row['name'] ?? '' });
  }
};
