import type pg from 'pg';
import type { CallContext, Delivery } from '../connector.js';
import { refuseDifference } from './copy.js';
import { claim, loadedColumns, superseded } from './fence.js';
import { whyNotSwap } from './hangsOn.js';
import { insertSql } from './loadTable.js';
import { publishing, readMarkers, setMarkerCounts } from './markers.js';
import { quoteName } from './quote.js';
import type { TableName } from './quote.js';
import { refill } from './refill.js';
import { shadowOf } from './shadow.js';
import { readySwap, swap } from './swap.js';
import { describeTable, limitLocks } from './table.js';
import type { Target } from './table.js';
import { drifted } from './tableConfig.js';
import type { TableConfig } from './tableConfig.js';

interface Publishing {
  name: TableName;
  shadow: TableName;
  gathered: Target;
  loaded: readonly string[];
  /** How many rows the splits have gathered. */
  rows: number;
}

const replace = async (client: pg.Client, work: Publishing, ctx: CallContext): Promise<void> => {
  const { name, shadow, gathered, loaded, rows } = work;
  const target = await describeTable(client, name);
  if (!target) {
    await client.query(`alter table ${gathered.sql} rename to ${quoteName(name.table)}`);
    return;
  }
  const isSimple = (await whyNotSwap(client, target.oid, gathered.oid)).length === 0;
  if (isSimple) await readySwap(client, target, shadow);
  await client.query(`lock table ${target.sql} in access exclusive mode`);
  // Looked at again: until the lock, anybody could hang something on it.
  const reasons = await whyNotSwap(client, target.oid, gathered.oid);
  if (reasons.length === 0) {
    await swap(client, name, target, shadow, gathered.oid);
    return;
  }
  ctx.log.info(
    `Table ${name.schema}.${name.table} is refilled instead of swapped: ${reasons.join(', ')}.`,
  );
  refuseDifference(rows, await refill(client, target, gathered.sql, { loaded, skipped: [] }));
  await client.query(`drop table ${gathered.sql}`);
};

const append = async (
  client: pg.Client,
  { name, gathered, loaded, rows }: Publishing,
): Promise<void> => {
  const target = await describeTable(client, name);
  if (!target) throw drifted(`Table ${name.schema}.${name.table} does not exist any more.`);
  const inserted = await client.query(insertSql(target.sql, { loaded, skipped: [] }, gathered.sql));
  refuseDifference(rows, inserted.rowCount ?? 0);
  await client.query(`drop table ${gathered.sql}`);
};

const countOf = async (client: pg.Client, { sql }: Target): Promise<number> => {
  const { rows } = await client.query<{ count: string }>(`select count(*) as count from ${sql}`);
  return Number(rows[0]?.count);
};

/** Makes all gathered rows visible in one transaction; a marker says that it is done. */
export const publish = async (
  client: pg.Client,
  node: TableConfig,
  name: TableName,
  delivery: Delivery,
  ctx: CallContext,
): Promise<void> => {
  const marker = { ...delivery, split: publishing };
  if (await claim(client, marker)) return;
  await limitLocks(client, 10);
  const shadow = shadowOf(name, delivery);
  const gathered = await describeTable(client, shadow);
  if (!gathered) throw superseded();
  const splits = [...(await readMarkers(client, delivery))].filter(([split]) => split >= 0);
  const rows = splits.reduce((sum, [, { counts }]) => sum + counts.rows, 0);
  refuseDifference(rows, await countOf(client, gathered));
  const loaded = await loadedColumns(client, delivery);
  const work: Publishing = { name, shadow, gathered, loaded, rows };
  await (node.mode === 'replace' ? replace(client, work, ctx) : append(client, work));
  await setMarkerCounts(client, marker, { rows, bytes: 0 }, 0);
};
