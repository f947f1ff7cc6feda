import type pg from 'pg';
import { RunFailure } from '../../core/failures.js';
import type { CallContext, Column, Delivery, Prepared } from '../connector.js';
import { createTable } from './createTable.js';
import { evolve, placesOf } from './evolve.js';
import type { Places } from './evolve.js';
import { currentStage, noteStage } from './fence.js';
import type { StageRow } from './fence.js';
import { formatsFor } from './formats.js';
import { ensureMarkers, pruneMarkers, publishing, readMarkers } from './markers.js';
import { quoteTable } from './quote.js';
import type { TableName } from './quote.js';
import { checkReferences } from './refill.js';
import { createShadow, dropAbandoned, shadowOf } from './shadow.js';
import { describeTable, limitLocks, lockName } from './table.js';
import type { Target } from './table.js';
import { checkConfig, comparesContent, drifted, gathers, invalid, keysOf } from './tableConfig.js';
import type { TableConfig } from '../tableNodes.js';
import { advance } from './undo.js';
import { requireUniqueKey } from './uniqueKey.js';

interface Work {
  client: pg.Client;
  node: TableConfig;
  name: TableName;
  columns: readonly Column[];
  delivery: Delivery;
  ctx: CallContext;
}

/** Undefined where the table comes with its rows: nobody is to see it empty before. */
const ensureTable = async (work: Work): Promise<Target | undefined> => {
  const { client, node, name, columns, ctx } = work;
  const where = `${name.schema}.${name.table}`;
  const found = await describeTable(client, name);
  if (found) return evolve(client, name, found, columns, node, ctx);
  if (node.createTable === false) {
    throw drifted(`Table ${where} does not exist and createTable is false.`);
  }
  if (node.mode === 'replace') return undefined;
  await createTable(client, quoteTable(name), columns, keysOf(node));
  ctx.log.info(`Created table ${where}.`);
  return describeTable(client, name);
};

/** Rows are inserted to be compared, and rules apply to an INSERT where they do not to COPY. */
const checkComparable = async (client: pg.Client, target: Target): Promise<void> => {
  if (target.kind === 'f') {
    throw invalid('What stands in a foreign table cannot be compared: set verify to counts.');
  }
  const { rows } = await client.query<{ rules: boolean }>(
    `select exists (select from pg_rewrite where ev_class = $1 and ev_type = '3') as rules`,
    [target.oid],
  );
  if (!rows[0]?.rules) return;
  throw invalid(
    'The table has rules for INSERT, so that what is loaded cannot be compared: set verify to counts, or drop them.',
  );
};

const checkTarget = async (
  { client, node, name, ctx }: Work,
  target: Target,
  places: Places,
): Promise<void> => {
  if (!['r', 'p', 'f'].includes(target.kind)) {
    throw invalid(`${name.schema}.${name.table} is no table: load into the table behind it.`);
  }
  if (comparesContent(node)) await checkComparable(client, target);
  if (node.mode === 'replace') await checkReferences(client, target, places);
  if (node.mode === 'upsert') await requireUniqueKey(client, name, target, keysOf(node));
  const numbered = [...target.columns.values()].filter(
    ({ name: column, identity }) => identity !== null && places.loaded.includes(column),
  );
  if (numbered.length === 0 || node.mode === 'delete') return;
  const names = numbered.map((column) => column.name).join(', ');
  const stuck = numbered.filter((c) => c.identity === 'always' && !keysOf(node).includes(c.name));
  if (node.mode === 'upsert' && stuck.length > 0) {
    throw invalid(
      `Column ${names} is generated always as identity: an upsert cannot change it. Leave it out, or make it a key.`,
    );
  }
  ctx.log.warn(
    `Column ${names} numbers rows itself; the values that arrive are taken, and its sequence does not follow them.`,
  );
};

/** Goes on with the delivery where it is, or makes way for the generation that begins here. */
const enterStage = async (work: Work): Promise<StageRow | undefined> => {
  const { client, node, name, delivery, ctx } = work;
  const row = await currentStage(client, delivery);
  if (row) return row;
  await advance(client, node, name, delivery, ctx);
  return currentStage(client, delivery);
};

const lostSplits = (where: string): RunFailure =>
  new RunFailure({
    code: 'snapshot_lost',
    class: 'transient',
    message: `What earlier attempts had gathered for ${where} is gone: the stage has to start over.`,
  });

const refuseOtherTable = (where: string): RunFailure =>
  drifted(
    `Table ${where} is not the one that this run began to load: it was dropped or replaced since. Start a new run.`,
  );

/** Creates what the writes need, and refuses what could not work. In one transaction. */
export const prepareTable = async (work: Work): Promise<Prepared> => {
  const { client, node, name, columns, delivery } = work;
  checkConfig(node, name, columns);
  await limitLocks(client, 30);
  await ensureMarkers(client);
  await pruneMarkers(client);
  await dropAbandoned(client);
  await lockName(client, name);
  const row = await enterStage(work);
  const markers = await readMarkers(client, delivery);
  const isPublished = markers.has(publishing);
  const target = await ensureTable(work);
  const loaded = columns.map((column) => column.name);
  const places = target ? placesOf(name, target, columns, node) : { loaded, skipped: [] };
  if (target) await checkTarget(work, target, places);

  const where = `${name.schema}.${name.table}`;
  const isOther = row?.relation && row.relation !== target?.oid;
  if (isOther && markers.size > 0 && node.mode !== 'replace') throw refuseOtherTable(where);

  let taking = target;
  let shadow: string | null = null;
  if (gathers(node) && !isPublished) {
    const shadowName = shadowOf(name, delivery);
    shadow = quoteTable(shadowName);
    if (!(await describeTable(client, shadowName))) {
      if (markers.size > 0) throw lostSplits(where);
      await createShadow(client, shadowName, target, columns);
    }
    taking = await describeTable(client, shadowName);
  }
  await noteStage(client, delivery, {
    relation: target?.oid ?? null,
    shadow,
    loaded: places.loaded,
  });
  return {
    formats: taking ? formatsFor(node, taking, places, columns) : ['csv'],
    publishes: gathers(node),
  };
};
