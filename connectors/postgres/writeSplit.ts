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
import { shadowOf } from './shadow.js';
import { describeTable } from './table.js';
import type { Target } from './table.js';
import { drifted, gathers, invalid, keysOf } from './tableConfig.js';
import type { TableConfig } from './tableConfig.js';
import { merge } from './upsert.js';

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

  const direct = async (): Promise<Outcome> => ({
    counts: await copySplit(client, target.sql, read, progress, ctx.signal),
    coalesced: 0,
  });

  const wait = async (waiting: Places): Promise<Counts> => {
    if (read.format !== 'csv' && (waiting.skipped.length > 0 || node.mode === 'delete')) {
      throw invalid('Columns that the table has no place for can only be left out of csv.');
    }
    await createLoadTable(client, target.sql, names, waiting);
    return copySplit(client, loadTable, read, progress, ctx.signal);
  };

  const throughLoadTable = async (): Promise<Outcome> => {
    const counts = await wait(places);
    const { rowCount } = await client.query(insertSql(target.sql, places));
    refuseDifference(counts.rows, rowCount ?? 0);
    return { counts, coalesced: 0 };
  };

  const upsert = async (): Promise<Outcome> => {
    const { rows, bytes } = await wait(places);
    const keys = keysOf(node);
    const work = { target: target.sql, keys, orderBy: node.orderBy ?? [], places };
    const written = await merge(client, work, marker, rows);
    if (work.orderBy.length === 0) refuseDifference(rows, written);
    return { counts: { rows: written, bytes }, coalesced: rows - written };
  };

  const remove = async (): Promise<Outcome> => {
    const keys = keysOf(node);
    const others = names.filter((column) => !keys.includes(column));
    const { rows, bytes } = await wait({ loaded: keys, skipped: others });
    const { found, removed } = await deleteRows(client, target.sql, keys);
    if (removed > found) {
      ctx.log.info(`Split ${marker.split}: ${found} keys removed ${removed} rows.`);
    }
    return { counts: { rows: found, bytes }, coalesced: rows - found };
  };

  const write = (): Promise<Outcome> => {
    if (node.mode === 'upsert') return upsert();
    if (node.mode === 'delete') return remove();
    return places.skipped.length > 0 ? throughLoadTable() : direct();
  };

  const outcome = await write();
  await setMarkerCounts(client, marker, outcome.counts, outcome.coalesced);
  return { ...outcome, already: false };
};
