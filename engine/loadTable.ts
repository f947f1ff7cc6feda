import { RunFailure } from '../core/failures.js';
import type {
  BadRow,
  BulkRead,
  CallContext,
  Counts,
  Destination,
  Marker,
  SpooledRows,
  WriteResult,
} from '../connectors/connector.js';
import { payloadOf, without } from './rescue/spool.js';
import type { Found, Letters } from './rescue/deadLetters.js';

export interface TableLoad {
  destination: Destination;
  config: unknown;
  nodeId: string;
  marker: Marker;
  letters: Letters;
  /** The rows to load, from their beginning. */
  read: () => BulkRead;
  /** The same rows kept aside, for when some of them are refused. */
  spool: () => Promise<SpooledRows>;
  /** Called once all rows are sent, before the destination commits. */
  settle: (read: BulkRead) => Promise<void>;
  progress: (sent: Counts) => void;
}

/** How often rows are searched that the destination refused: others may change it meanwhile. */
const mostRescues = 3;

const isRefusedRow = (error: unknown): error is RunFailure =>
  error instanceof RunFailure && error.failure.code === 'destination_constraint_violation';

/** What has to be right before a commit is awaited as the last thing the stream does. */
const settled = (read: BulkRead, settle: TableLoad['settle']): BulkRead => {
  async function* chunks(): AsyncGenerator<Buffer> {
    yield* read.chunks;
    await settle(read);
  }
  return { ...read, chunks: chunks() };
};

const withPayload = (rows: SpooledRows, bad: readonly BadRow[]): Promise<Found[]> =>
  Promise.all(bad.map(async (row) => ({ ...row, payload: await payloadOf(rows, row.row) })));

/**
 * Loads rows into a table. When the table refuses some of them, they are found among the rows kept
 * aside, set apart as dead letters, and the rest is loaded.
 */
export const loadTable = async (load: TableLoad, ctx: CallContext): Promise<WriteResult> => {
  const { destination, config, marker, letters } = load;
  const write = (read: BulkRead): Promise<WriteResult> =>
    destination.writeBulk(config, marker, settled(read, load.settle), load.progress, ctx);

  let refusal: RunFailure;
  try {
    return await write(load.read());
  } catch (error) {
    if (!isRefusedRow(error) || !destination.findBadRows) throw error;
    refusal = error;
  }
  ctx.log.warn(`Split ${marker.split}: ${refusal.failure.message} Looking for the rows.`);
  const rows = await load.spool();
  for (let rescue = 1; ; rescue += 1) {
    await letters.set(load.nodeId, []);
    const most = Math.max(0, await letters.room()) + 1;
    const bad = await destination.findBadRows(config, marker, rows, most, ctx);
    if (bad.length === 0) throw refusal;
    await letters.set(load.nodeId, await withPayload(rows, bad));
    const good = without(
      rows,
      bad.map(({ row }) => row),
    );
    try {
      return await write(good);
    } catch (error) {
      if (!isRefusedRow(error) || rescue === mostRescues) throw error;
    }
  }
};
