import type { Job, JobSplit, JobStage } from '../db/models/tables.js';
import { noCounts } from '../core/metrics.js';
import { readsDataset } from '../core/plan/stage.js';
import type { SplitCounts } from '../core/metrics.js';
import type { WorkspaceScope } from '../core/scope.js';
import type { WriteResult } from '../connectors/connector.js';
import type { Repos } from '../db/repos/index.js';
import type { PlannedStage } from '../engine/plan.js';
import { planOf } from './runPlan.js';
import type { RunPlan } from './runPlan.js';

/** What the run before this one in a chain of retries has left of a stage. */
export interface EarlierStage {
  stage: PlannedStage;
  generation: number;
  splits: readonly JobSplit[];
  /**
   * kept: all of it is done. resumed: what its destination has of it stays, the rest follows.
   * over: it begins again, in another generation.
   */
  verdict: 'kept' | 'resumed' | 'over';
}

export interface EarlierRun {
  plan: RunPlan;
  stages: readonly EarlierStage[];
}

const isDone = (
  { way }: PlannedStage,
  row: JobStage | undefined,
  splits: readonly JobSplit[],
): boolean =>
  row?.opened_at != null &&
  splits.every(({ status }) => status === 'succeeded') &&
  (!way.publishes || row.published_at !== null);

/** Splits of a snapshot that is gone mean nothing, and datasets go with the run that made them. */
const canResume = (stage: PlannedStage, splits: readonly JobSplit[]): boolean =>
  stage.kind === 'flow' &&
  stage.input.kind === 'source' &&
  stage.output.kind === 'destination' &&
  stage.way.consistency !== 'snapshot' &&
  splits.length > 0;

/** From the last stage back: a dataset that nobody has to read again need not be made again. */
const judge = (
  stages: readonly PlannedStage[],
  undone: boolean,
  rows: readonly JobStage[],
  splitsOf: ReadonlyMap<string, readonly JobSplit[]>,
): EarlierStage[] => {
  const judged: EarlierStage[] = [];
  for (const stage of [...stages].reverse()) {
    const splits = splitsOf.get(stage.id) ?? [];
    const row = rows.find((one) => one.stage === stage.id);
    const wanted =
      stage.output.kind === 'dataset' &&
      judged.some((one) => one.verdict !== 'kept' && readsDataset(one.stage, stage.id));
    const done = isDone(stage, row, splits) && !wanted && !undone;
    const resumed = canResume(stage, splits) && !undone;
    const verdict = done ? 'kept' : resumed ? 'resumed' : 'over';
    judged.unshift({ stage, generation: row?.generation ?? 0, splits, verdict });
  }
  return judged;
};

/** Undefined for a first run, and for a retry of one that never came to a plan. */
export const earlierRun = async (
  repos: Repos,
  scope: WorkspaceScope,
  job: Job,
): Promise<EarlierRun | undefined> => {
  if (job.retry_of === null) return undefined;
  const earlier = await repos.jobs.get(scope, job.retry_of);
  if (earlier.plan === null) return undefined;
  const plan = planOf(earlier);
  const rows = await repos.stages.ofJob(scope, earlier.id);
  const splits = new Map<string, readonly JobSplit[]>();
  for (const { id } of plan.stages) {
    splits.set(id, await repos.splits.ofStage(scope, earlier.id, id));
  }
  return { plan, stages: judge(plan.stages, earlier.undone_at !== null, rows, splits) };
};

/** What a split's row says that it did. */
export const countsOf = (row: JobSplit): SplitCounts => ({
  rowsRead: row.rows_read,
  bytesRead: row.bytes_read,
  rowsIn: row.rows_in,
  rowsFiltered: row.rows_filtered,
  rowsOut: row.rows_out,
  rowsWritten: row.rows_written,
  bytesWritten: row.bytes_written,
  rowsCoalesced: row.rows_coalesced,
  rowsFailed: row.rows_failed,
  bytesStaged: row.bytes_staged,
});

/**
 * What a split did that its destination has, though nobody came to write it down: what was dropped
 * on the way was noted before the commit, what arrived is what the destination says.
 */
export const countsOfCommitted = (
  row: JobSplit | undefined,
  stage: PlannedStage,
  { counts, coalesced }: WriteResult,
): SplitCounts => {
  const { way } = stage;
  const fromSource = stage.kind === 'flow' && stage.input.kind === 'source';
  const filtered = way.pushed?.where.length ? null : (row?.rows_filtered ?? 0);
  const failed = row?.rows_failed ?? 0;
  const rowsOut = counts.rows + coalesced;
  const rowsIn = rowsOut + failed + (filtered ?? 0);
  return {
    ...noCounts,
    rowsRead: fromSource ? rowsIn : 0,
    bytesRead: row?.bytes_read ?? 0,
    rowsIn,
    rowsFiltered: filtered,
    rowsOut,
    rowsWritten: counts.rows,
    bytesWritten: counts.bytes,
    rowsCoalesced: coalesced,
    rowsFailed: failed,
  };
};
