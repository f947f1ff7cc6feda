import type pg from 'pg';
import type { CallContext, Delivery } from '../connector.js';
import { refuseDifference } from './copy.js';
import { claim, loadedColumns, superseded } from './fence.js';
import { whyNotSwap } from './hangsOn.js';
import { insertSql } from './loadTable.js';
import { publishing, readMarkers, setMarkerCounts } from './markers.js';
import { quoteName } from './quote.js';
import type { TableName } from './quote.js';
import { readingsOf } from './readings.js';
import { refill } from './refill.js';
import type { Insert } from './refill.js';
import { shadowOf } from './shadow.js';
import { readySwap, swap } from './swap.js';
import { describeTable, limitLocks } from './table.js';
import type { Target } from './table.js';
import { comparesContent, drifted } from './tableConfig.js';
import type { TableConfig } from '../tableNodes.js';
import { insertVerified } from './verify.js';

interface Publishing {
  node: TableConfig;
  name: TableName;
  shadow: TableName;
  gathered: Target;
  loaded: readonly string[];
  /** How many rows the splits have gathered. */
  rows: number;
}

/** The gathered rows into the table itself, compared where that is wanted. */
const inserter =
  (client: pg.Client, { node, gathered, loaded, rows }: Publishing, target: Target): Insert =>
  async (insert, onlyNew) => {
    if (!comparesContent(node)) return (await client.query(insert)).rowCount ?? 0;
    const readings = await readingsOf(client, target, loaded);
    const work = { target, readings, from: gathered.sql, rows, insert, onlyNew };
    return insertVerified(client, { ...work, places: false });
  };

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
  const places = { loaded, skipped: [] };
  const insert = inserter(client, work, target);
  refuseDifference(rows, await refill(client, target, gathered.sql, places, insert));
  await client.query(`drop table ${gathered.sql}`);
};

const append = async (client: pg.Client, work: Publishing): Promise<void> => {
  const { name, gathered, loaded, rows } = work;
  const target = await describeTable(client, name);
  if (!target) throw drifted(`Table ${name.schema}.${name.table} does not exist any more.`);
  const insert = insertSql(target.sql, { loaded, skipped: [] }, gathered.sql);
  refuseDifference(rows, await inserter(client, work, target)(insert, true));
  await client.query(`drop table ${gathered.sql}`);
};

/**
 * A split's rows and the count in its marker are there together or not at all, except in an
 * unlogged table: after a crash of the server it is empty, and its markers are not.
 */
const refuseEmptied = async (
  client: pg.Client,
  { sql, oid }: Target,
  rows: number,
): Promise<void> => {
  const { rows: found } = await client.query(
    `select from pg_class where oid = $1 and relpersistence = 'u'`,
    [oid],
  );
  if (found.length === 0) return;
  const counted = await client.query<{ count: string }>(`select count(*) as count from ${sql}`);
  refuseDifference(rows, Number(counted.rows[0]?.count));
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
  await refuseEmptied(client, gathered, rows);
  const loaded = await loadedColumns(client, delivery);
  const work: Publishing = { node, name, shadow, gathered, loaded, rows };
  await (node.mode === 'replace' ? replace(client, work, ctx) : append(client, work));
  await setMarkerCounts(client, marker, { rows, bytes: 0 }, 0);
};
