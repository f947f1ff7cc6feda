import type { SplitCounts } from '../core/metrics.js';

export interface SplitOutcome {
  counts: SplitCounts;
  /** An earlier attempt had committed it: nothing was written now. */
  already: boolean;
  /** What the split has left for others to go on with. */
  output: SplitOutput | null;
}

export interface SplitOutput {
  /** Of several attempts the one that counts. */
  attempt: number;
  /** In the staging store. */
  files: readonly SplitFile[];
  /** Of a query over sources: how many rows each of them gave, by its node. */
  rowsRead?: Readonly<Record<string, number>>;
}

/** A part of a dataset: where it lies in the staging store, below the run's first job. */
export interface SplitFile {
  stage: string;
  name: string;
  /** Null where nobody has counted them apart. */
  rows: number | null;
  bytes: number;
}

export type SplitProgress = (counts: SplitCounts) => void;
