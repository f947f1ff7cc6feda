import type { CallContext, Marker } from '../connectors/connector.js';
import type { SplitCounts } from '../core/metrics.js';
import { copySplit } from './copySplit.js';
import type { DuckDb } from './duckdb/program.js';
import { duckSplit } from './duckSplit.js';
import type { OpenEnds, Ranges } from './ends.js';
import type { SplitFile, SplitOutcome, SplitProgress } from './outcome.js';
import type { PlannedStage } from './plan.js';
import { makeLetters } from './rescue/deadLetters.js';
import type { DeadLetterPort, Letters } from './rescue/deadLetters.js';
import type { MakeScratch } from './staging/scratch.js';
import type { Staging } from './staging/staging.js';

/** What a split reads. */
export interface SplitInput {
  ranges: Ranges;
  snapshot: string | null;
  /** Of datasets, by the node whose rows they are. */
  files: Readonly<Record<string, readonly SplitFile[]>>;
}

export interface SplitWork {
  stage: PlannedStage;
  ends: OpenEnds;
  input: SplitInput;
  marker: Marker;
  attempt: number;
  /** Position of the stage in its run: names its datasets, ids of nodes can be any text. */
  index: number;
}

/** What the engine needs from whoever runs it. */
export interface SplitPorts {
  /** Counts on their way; a courtesy. */
  progress: SplitProgress;
  /** What of a split will not arrive, kept before the rest does: nobody could tell afterwards. */
  noteLoss: (loss: Pick<SplitCounts, 'rowsFiltered' | 'rowsFailed'>) => Promise<void>;
  deadLetters: DeadLetterPort;
}

export interface SplitServices extends SplitPorts {
  duckdb: DuckDb;
  staging: Staging;
  scratch: MakeScratch;
  maxRowBytes: number;
}

/** A split under way: a directory of its own, and what it gives up. */
export interface SplitDesk {
  directory: string;
  letters: Letters;
}

/** One split, from its input to its output, by the way that was planned. */
export const runSplit = async (
  work: SplitWork,
  services: SplitServices,
  ctx: CallContext,
): Promise<SplitOutcome> => {
  const scratch = await services.scratch('split');
  const desk: SplitDesk = {
    directory: scratch.path,
    letters: makeLetters(work.marker, services.deadLetters),
  };
  try {
    return work.stage.way.path.kind === 'copy'
      ? await copySplit(work, work.stage.way.path.format, desk, services, ctx)
      : await duckSplit(work, work.stage.way.path, desk, services, ctx);
  } finally {
    await scratch.remove();
  }
};
