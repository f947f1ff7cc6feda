import type { Job } from '../db/models/tables.js';
import { describeWay } from '../engine/plan.js';
import type { PlannedStage } from '../engine/plan.js';
import type { BatchRef, SplitBatch } from '../workflows/contract.js';
import type { ActivityDeps } from './deps.js';
import { reportingFailures } from './failure.js';
import { getJob } from './job.js';
import { planOf } from './runPlan.js';

/** A snapshot is held by the execution that reads it, so its splits are all in one batch. */
export const mostSplitsUnderSnapshot = 400;

const held = ({ way }: PlannedStage): boolean => way.consistency === 'snapshot';

const wordsOf = (stages: readonly PlannedStage[], index: number, left: number | null): string => {
  const stage = stages[index];
  if (!stage) return '';
  const place = `stage ${index + 1} of ${stages.length}`;
  const work = left === null ? 'opening' : `${left} splits to go`;
  return `${stage.nodes.join(' → ')} (${place}, ${describeWay(stage.way)}): ${work}`;
};

/** What of a stage is still to do, as much of it as one workflow execution takes on. */
export const batchOf = async (
  { repos, settings }: ActivityDeps,
  job: Job,
  index: number,
): Promise<SplitBatch> => {
  const { stages } = planOf(job);
  const stage = stages[index];
  if (!stage) throw new RangeError(`the plan has no stage ${index}`);
  const scope = { workspaceId: job.workspace_id };
  const rows = await repos.stages.ofJob(scope, job.id);
  const opened = rows.find((row) => row.stage === stage.id)?.opened_at !== null;
  const limit = held(stage) ? mostSplitsUnderSnapshot * 2 : settings.splitsPerExecution;
  const { splits, left } = await repos.splits.pending(scope, job.id, stage.id, limit);
  const last = index === stages.length - 1;
  const publish = stages.filter(({ way }) => way.publishes).map(({ id }) => id);
  return {
    stage: stage.id,
    splits,
    // Twice the slots: while one split commits, the next is already on its way to the worker.
    window: Math.max(2, 2 * (await repos.workers.slots(settings.batchQueue))),
    more: left > splits.length,
    last,
    summary: wordsOf(stages, index, opened ? left : null),
    ...(opened ? {} : { unopened: true, ...(held(stage) ? { hold: true } : {}) }),
    ...(last && publish.length > 0 ? { publish } : {}),
    ...(last && stages.some(({ output }) => output.kind === 'dataset') ? { staged: true } : {}),
  };
};

export const makeBatches = (deps: ActivityDeps) => ({
  nextBatch: ({ jobId, stage }: BatchRef): Promise<SplitBatch> =>
    reportingFailures(deps.log, async () => batchOf(deps, await getJob(deps, jobId), stage)),
});
