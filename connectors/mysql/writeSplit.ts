import { RunFailure } from '../../core/failures.js';
import type { BulkRead, Column, Counts, Delivery, Marker, WriteResult } from '../connector.js';
import { deleteRows } from './deleteRows.js';
import { placesOf } from './evolve.js';
import type { Places } from './evolve.js';
import { claim, superseded } from './fence.js';
import { loadRows } from './load.js';
import type { Intake } from './load.js';
import { createLoadTable, loadTable } from './loadTable.js';
import { setMarkerCounts } from './markers.js';
import type { TableName } from './quote.js';
import type { Session } from './session.js';
import { shadowOf } from './shadow.js';
import { drifted, gathers, keysOf } from './tableConfig.js';
import type { TableConfig } from '../tableNodes.js';
import { columnOf, describeTable } from './target.js';
import type { Target } from './target.js';
import { merge } from './upsert.js';

type Outcome = Omit<WriteResult, 'already'>;

export interface Taking {
  target: Target;
  places: Places;
  intake: Intake;
  /** They wait in the load table until they are merged or have deleted. */
  waits: boolean;
  /** Each says which split it came with. */
  isTraced: boolean;
}

/** Where rows go now, as opposed to where they will be in the end. */
export const takingOf = async (
  session: Session,
  node: TableConfig,
  name: TableName,
  delivery: Delivery,
  columns: readonly Column[],
): Promise<Taking> => {
  const final = await describeTable(session, name);
  const gathered = gathers(node, final);
  const target = gathered ? await describeTable(session, shadowOf(name, delivery)) : final;
  if (!target && gathered) throw superseded();
  if (!target) throw drifted(`Table ${name.schema}.${name.table} does not exist any more.`);
  const all = placesOf(name, target, columns, node);
  const keys = keysOf(node);
  const places = node.mode === 'delete' ? { loaded: keys, skipped: [] } : all;
  const loaded = new Set(places.loaded);
  const targets = columns.map((column) =>
    loaded.has(column.name) ? columnOf(target, column.name) : undefined,
  );
  const waits = node.mode === 'upsert' || node.mode === 'delete';
  return {
    target,
    places,
    intake: { into: waits ? loadTable : target.sql, columns, targets },
    waits,
    isTraced: !waits && !gathered,
  };
};

/** Nothing of a split may get lost between the source and the table. */
export const refuseDifference = (sent: number, taken: number): void => {
  if (sent === taken) return;
  throw new RunFailure({
    code: 'count_mismatch',
    class: 'internal',
    message: `${sent} rows were sent and the table took ${taken}: all of it was rolled back. A trigger of the table may drop rows.`,
  });
};

/** First the marker, then the rows, then their counts: one transaction, all of it or nothing. */
export const writeSplit = async (
  session: Session,
  node: TableConfig,
  name: TableName,
  marker: Marker,
  read: BulkRead,
  progress: (counts: Counts) => void,
): Promise<WriteResult> => {
  const claimed = await claim(session, marker);
  if ('already' in claimed) return claimed;
  const taking = await takingOf(session, node, name, marker, read.columns);
  const { target, places } = taking;
  const intake = { ...taking.intake, ...(taking.isTraced ? { token: claimed.token } : {}) };
  let bytes = 0;
  async function* counted(): AsyncGenerator<Buffer> {
    for await (const chunk of read.chunks) {
      bytes += chunk.length;
      progress({ rows: read.counts().rows, bytes });
      yield chunk;
    }
  }

  const takeIn = async (): Promise<Counts> => {
    if (taking.waits) await createLoadTable(session, target, places.loaded);
    const rows = await loadRows(session, intake, counted());
    refuseDifference(read.counts().rows, rows);
    return { rows, bytes };
  };

  const write = async (): Promise<Outcome> => {
    const counts = await takeIn();
    if (node.mode === 'upsert') {
      const ledger = shadowOf(name, marker);
      const written = await merge(session, { node, name, target, places, ledger }, marker);
      return { counts: { rows: written, bytes }, coalesced: counts.rows - written };
    }
    if (node.mode === 'delete') {
      const found = await deleteRows(session, target.sql, keysOf(node));
      return { counts: { rows: found, bytes }, coalesced: counts.rows - found };
    }
    return { counts, coalesced: 0 };
  };

  const outcome = await write();
  await setMarkerCounts(session, marker, outcome.counts, outcome.coalesced);
  return { ...outcome, already: false };
};
