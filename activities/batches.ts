import type { RunPlan } from '../core/plan.js';
import type { Job } from '../db/models/tables.js';
import { RunFailure } from '../core/failures.js';
import type { BatchRef, SplitBatch } from '../workflows/contract.js';
import type { ActivityDeps } from './deps.js';
import { reportingFailures } from './failure.js';
import { getJob } from './job.js';

export const planOf = (job: Job): RunPlan => {
  if (job.plan !== null) return JSON.parse(job.plan) as RunPlan;
  throw new RunFailure({
    code: 'internal',
    class: 'internal',
    message: 'The run has no plan; start it again.',
  });
};

/** What of a stage is still to do, as much of it as one workflow execution takes on. */
export const batchOf = async (
  { repos, settings }: ActivityDeps,
  job: Job,
  plan: RunPlan,
  index: number,
): Promise<SplitBatch> => {
  const stage = plan.stages[index];
  if (!stage) throw new RangeError(`the plan has no stage ${index}`);
  const scope = { workspaceId: job.workspace_id };
  const { splits, left } = await repos.splits.pending(
    scope,
    job.id,
    stage.id,
    settings.splitsPerExecution,
  );
  const slots = await repos.workers.slots(settings.batchQueue);
  const place = `stage ${index + 1} of ${plan.stages.length}`;
  return {
    stage: stage.id,
    splits,
    // Twice the slots: while one split commits, the next is already on its way to the worker.
    window: Math.max(2, 2 * slots),
    more: left > splits.length,
    last: index === plan.stages.length - 1,
    summary: `${stage.nodes.join(' → ')} (${place}): ${left} splits to go`,
  };
};

export const makeBatches = (deps: ActivityDeps) => ({
  nextBatch: ({ jobId, stage }: BatchRef): Promise<SplitBatch> =>
    reportingFailures(deps.log, async () => {
      const job = await getJob(deps, jobId);
      return batchOf(deps, job, planOf(job), stage);
    }),
});
