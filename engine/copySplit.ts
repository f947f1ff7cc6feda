import { join } from 'node:path';
import type { BulkFormat, BulkRead, CallContext } from '../connectors/connector.js';
import { noCounts } from '../core/metrics.js';
import type { SplitCounts } from '../core/metrics.js';
import { rangeOf, requestOf } from './ends.js';
import { loadTable } from './loadTable.js';
import type { SplitOutcome } from './outcome.js';
import { spool } from './rescue/spool.js';
import type { SplitDesk, SplitPorts, SplitWork } from './runSplit.js';

/** Bytes straight from source to destination, in one transaction of the destination. */
export const copySplit = async (
  { stage, ends, input, marker }: SplitWork,
  format: BulkFormat,
  { directory, letters }: SplitDesk,
  { progress, noteLoss }: SplitPorts,
  ctx: CallContext,
): Promise<SplitOutcome> => {
  const { sources, destination: to } = ends;
  const [from] = sources;
  if (!from || to?.kind !== 'table') throw new RangeError(`stage ${stage.id} cannot be copied`);
  const request = requestOf(from, stage.way);
  const rowsFiltered = (request.pushed?.where.length ?? 0) > 0 ? null : 0;
  let latest: BulkRead | undefined;
  const readAs = (wanted: BulkFormat): BulkRead => {
    const { snapshot, ranges } = input;
    const options = { format: wanted, ...(snapshot === null ? {} : { snapshot }) };
    latest = from.source.readBulk(request, rangeOf(ranges, from), options, ctx);
    return latest;
  };
  const sent = (): SplitCounts => {
    const { rows = 0, bytes = 0 } = latest?.counts() ?? {};
    const rowsIn = rows + (latest?.rejected().length ?? 0);
    return { ...noCounts, rowsRead: rowsIn, bytesRead: bytes, rowsIn, rowsFiltered };
  };
  const { counts, coalesced, already } = await loadTable(
    {
      ...to,
      marker,
      letters,
      read: () => readAs(format),
      // Row by row only csv can be told apart.
      spool: () => spool(readAs('csv'), join(directory, 'spool.csv'), ctx.signal),
      settle: async () => {
        const rejected = latest?.rejected() ?? [];
        await letters.set(
          from.nodeId,
          rejected.map((row) => ({ ...row, payload: null })),
        );
        await letters.save();
        if (letters.count() > 0) await noteLoss({ rowsFiltered, rowsFailed: letters.count() });
      },
      progress: ({ rows, bytes }) =>
        progress({ ...sent(), rowsOut: rows, rowsWritten: rows, bytesWritten: bytes }),
    },
    ctx,
  );
  const rowsFailed = letters.count();
  const rowsOut = counts.rows + coalesced;
  return {
    counts: {
      ...sent(),
      // The destination compared what was sent with what it took before it committed.
      rowsRead: rowsOut + rowsFailed,
      rowsIn: rowsOut + rowsFailed,
      rowsOut,
      rowsWritten: counts.rows,
      bytesWritten: counts.bytes,
      rowsCoalesced: coalesced,
      rowsFailed,
    },
    already,
    output: null,
  };
};
