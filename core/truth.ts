import type { Failure } from './failures.js';
import type { SplitCounts } from './metrics.js';
import type { Stage } from './plan/stage.js';

export interface StageOutcome extends SplitCounts {
  stage: string;
  splits: number;
  done: number;
}

const untrue = (stage: Stage, message: string): Failure => ({
  code: 'count_mismatch',
  class: 'internal',
  nodeId: stage.id,
  message,
});

/** Rows do not vanish inside a stage; only a query over whole inputs makes others of them. */
const checkStage = (stage: Stage, did: StageOutcome): string | undefined => {
  if (did.done < did.splits) return `${did.done} of ${did.splits} splits are done.`;
  if (stage.kind === 'compute') return undefined;
  const filtered = did.rowsFiltered ?? 0;
  const arrived =
    stage.output.kind === 'destination' ? did.rowsWritten + did.rowsCoalesced : did.rowsOut;
  if (did.rowsIn === arrived + filtered + did.rowsFailed) return undefined;
  return (
    `${did.rowsIn} rows went in, ${arrived} came out, ` +
    `${filtered} were filtered and ${did.rowsFailed} failed.`
  );
};

/** Who reads a dataset reads all of it. */
const checkBoundary = (
  stage: Stage,
  did: StageOutcome,
  outcomes: ReadonlyMap<string, StageOutcome>,
): string | undefined => {
  if (stage.kind === 'compute' || stage.input.kind !== 'dataset') return undefined;
  const written = outcomes.get(stage.input.dataset)?.rowsOut;
  if (written === undefined || written === did.rowsIn) return undefined;
  return `${written} rows were staged by ${stage.input.dataset} and ${did.rowsIn} read.`;
};

/** What is wrong with the counts of stages that say they are done; null when nothing is. */
export const untruth = (
  stages: readonly Stage[],
  totals: readonly StageOutcome[],
): Failure | null => {
  const outcomes = new Map(totals.map((outcome) => [outcome.stage, outcome]));
  for (const stage of stages) {
    const did = outcomes.get(stage.id);
    if (!did) return untrue(stage, 'The stage was never cut into splits.');
    const wrong = checkStage(stage, did) ?? checkBoundary(stage, did, outcomes);
    if (wrong !== undefined) return untrue(stage, wrong);
  }
  return null;
};
