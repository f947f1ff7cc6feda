import { RunFailure } from '../core/failures.js';
import type {
  CallContext,
  Counts,
  Destination,
  Marker,
  Source,
  SplitRange,
} from '../connectors/connector.js';

export interface SplitWork {
  source: Source;
  sourceConfig: unknown;
  range: SplitRange;
  destination: Destination;
  destinationConfig: unknown;
  marker: Marker;
}

export interface SplitOutcome {
  read: Counts;
  written: Counts;
  /** An earlier attempt had committed it: nothing was read or written now. */
  already: boolean;
}

export type SplitProgress = (read: Counts, written: Counts) => void;

/** One split, bulk format to bulk format, one destination transaction. */
export const runSplit = async (
  work: SplitWork,
  progress: SplitProgress,
  ctx: CallContext,
): Promise<SplitOutcome> => {
  const read = work.source.readBulk(work.sourceConfig, work.range, ctx);
  if (!work.destination.formats.includes(read.format)) {
    throw new RunFailure({
      code: 'internal',
      class: 'internal',
      message: `The destination cannot load ${read.format}.`,
    });
  }
  const { counts, already } = await work.destination.writeBulk(
    work.destinationConfig,
    work.marker,
    read,
    (written) => progress(read.counts(), written),
    ctx,
  );
  // What an earlier attempt read is what it wrote: its transaction compared the two.
  return { read: already ? counts : read.counts(), written: counts, already };
};
