import type pg from 'pg';
import { adoptIndexes, readProperties } from './carryOver.js';
import { copyIndexes, indexesOf } from './indexes.js';
import { quoteName, quoteTable } from './quote.js';
import type { TableName } from './quote.js';
import type { Target } from './table.js';

/** The long part, during which everybody reads and writes the target as before. */
export const readySwap = async (
  client: pg.Client,
  target: Target,
  shadow: TableName,
): Promise<void> => {
  const indexes = await indexesOf(client, target.oid);
  await copyIndexes(client, shadow, quoteTable(shadow), indexes);
  // A table nobody has looked at yet is read by bad plans.
  await client.query(`analyze ${quoteTable(shadow)}`);
};

/**
 * Puts the shadow in the place of the target. Who has the lock has made sure that nothing hangs on
 * the target; should that be wrong, the server refuses to drop it.
 */
export const swap = async (
  client: pg.Client,
  name: TableName,
  target: Target,
  shadow: TableName,
  shadowOid: number,
): Promise<void> => {
  const indexes = await indexesOf(client, target.oid);
  await copyIndexes(client, shadow, quoteTable(shadow), indexes);
  const statements = await readProperties(client, target.oid, shadowOid);
  await client.query(`drop table ${target.sql} restrict`);
  for (const statement of statements) await client.query(statement);
  await client.query(`alter table ${quoteTable(shadow)} rename to ${quoteName(name.table)}`);
  await adoptIndexes(client, name, shadow, indexes);
};
