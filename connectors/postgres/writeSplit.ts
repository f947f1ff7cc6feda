import type pg from 'pg';
import type {
  BulkRead,
  CallContext,
  Column,
  Counts,
  Delivery,
  Marker,
  WriteResult,
} from '../connector.js';
import { copySplit, refuseDifference } from './copy.js';
import { deleteRows } from './deleteRows.js';
import { placesOf } from './evolve.js';
import type { Places } from './evolve.js';
import { claim, superseded } from './fence.js';
import { createLoadTable, insertSql, loadTable } from './loadTable.js';
import { setMarkerCounts } from './markers.js';
import type { TableName } from './quote.js';
import { readingsOf } from './readings.js';
import type { Reading } from './readings.js';
import { shadowOf } from './shadow.js';
import { describeTable } from './table.js';
import type { Target } from './table.js';
import { comparesContent, drifted, gathers, invalid, keysOf } from './tableConfig.js';
import type { TableConfig } from '../tableNodes.js';
import { merge } from './upsert.js';
import { insertVerified, verifyDeleted, verifyKeys, verifyMerged } from './verify.js';

type Outcome = Omit<WriteResult, 'already'>;

/** Where rows go now, as opposed to where they will be in the end. */
export const takingTable = async (
  client: pg.Client,
  node: TableConfig,
  name: TableName,
  delivery: Delivery,
  columns: readonly Column[],
): Promise<{ target: Target; places: Places }> => {
  const target = await describeTable(client, gathers(node) ? shadowOf(name, delivery) : name);
  if (!target && gathers(node)) throw superseded();
  if (!target) throw drifted(`Table ${name.schema}.${name.table} does not exist any more.`);
  return { target, places: placesOf(name, target, columns, node) };
};

/** First the marker, then the rows, then their counts: one transaction, all of it or nothing. */
export const writeSplit = async (
  client: pg.Client,
  node: TableConfig,
  name: TableName,
  marker: Marker,
  read: BulkRead,
  progress: (counts: Counts) => void,
  ctx: CallContext,
): Promise<WriteResult> => {
  const done = await claim(client, marker);
  if (done) return done;
  const { target, places } = await takingTable(client, node, name, marker, read.columns);
  const names = read.columns.map((column) => column.name);
  const keys = keysOf(node);
  const compares = comparesContent(node);

  const direct = async (): Promise<Outcome> => ({
    counts: await copySplit(client, target.sql, read, progress, ctx.signal),
    coalesced: 0,
  });

  const readings = async (of: readonly string[]): Promise<Reading[]> =>
    compares ? readingsOf(client, target, of, read, keys) : [];

  const wait = async (waiting: Places, readAs: readonly Reading[]): Promise<Counts> => {
    if (read.format !== 'csv' && (waiting.skipped.length > 0 || node.mode === 'delete')) {
      throw invalid('Columns that the table has no place for can only be left out of csv.');
    }
    await createLoadTable(client, target.sql, names, waiting, readAs);
    return copySplit(client, loadTable, read, progress, ctx.signal);
  };

  const throughLoadTable = async (): Promise<Outcome> => {
    const readAs = await readings(places.loaded);
    const counts = await wait(places, readAs);
    const insert = insertSql(target.sql, places);
    if (compares) {
      const { rows } = counts;
      const work = { target, readings: readAs, from: loadTable, rows, insert };
      await insertVerified(client, { ...work, places: true, onlyNew: true });
    } else {
      const { rowCount } = await client.query(insert);
      refuseDifference(counts.rows, rowCount ?? 0);
    }
    return { counts, coalesced: 0 };
  };

  const ofKeys = (all: readonly Reading[]): Reading[] =>
    all.filter(({ name }) => keys.includes(name));

  const upsert = async (): Promise<Outcome> => {
    const readAs = await readings(places.loaded);
    const { rows, bytes } = await wait(places, readAs);
    if (compares) await verifyKeys(client, target, ofKeys(readAs));
    const work = { target: target.sql, keys, orderBy: node.orderBy ?? [], places };
    const written = await merge(client, work, marker, rows);
    if (work.orderBy.length === 0) refuseDifference(rows, written);
    if (compares) await verifyMerged(client, work, readAs, marker);
    return { counts: { rows: written, bytes }, coalesced: rows - written };
  };

  const remove = async (): Promise<Outcome> => {
    const readAs = await readings(keys);
    const others = names.filter((column) => !keys.includes(column));
    const { rows, bytes } = await wait({ loaded: keys, skipped: others }, readAs);
    if (compares) await verifyKeys(client, target, readAs);
    const { found, removed } = await deleteRows(client, target.sql, keys);
    if (removed > found) {
      ctx.log.info(`Split ${marker.split}: ${found} keys removed ${removed} rows.`);
    }
    if (compares) await verifyDeleted(client, target, keys);
    return { counts: { rows: found, bytes }, coalesced: rows - found };
  };

  const write = (): Promise<Outcome> => {
    if (node.mode === 'upsert') return upsert();
    if (node.mode === 'delete') return remove();
    return compares || places.skipped.length > 0 ? throughLoadTable() : direct();
  };

  const outcome = await write();
  await setMarkerCounts(client, marker, outcome.counts, outcome.coalesced);
  return { ...outcome, already: false };
};
