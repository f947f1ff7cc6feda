import { Context } from '@temporalio/activity';
import { RunFailure } from '../core/failures.js';
import { parseGraph } from '../core/graph/index.js';
import { planGraph } from '../core/plan.js';
import type { RunPlan, Stage } from '../core/plan.js';
import type { CallContext, Counts } from '../connectors/connector.js';
import type { Job } from '../db/models/tables.js';
import type { Repos } from '../db/repos/index.js';
import type { NewSplit } from '../db/repos/splits.js';
import type { JobRef, SplitBatch } from '../workflows/contract.js';
import { batchOf } from './batches.js';
import { splitCounts } from './counts.js';
import type { ActivityDeps } from './deps.js';
import { withEndpoints } from './endpoints.js';
import { reportingFailures } from './failure.js';
import { withHeartbeat } from './heartbeat.js';
import { getJob } from './job.js';
import { makeJobLog } from './jobLog.js';

/** The definition the run pinned, checked again: a connection may have gone since it was saved. */
const pinnedPlan = async ({ repos }: ActivityDeps, job: Job): Promise<RunPlan> => {
  const scope = { workspaceId: job.workspace_id };
  const graph =
    job.pipeline_id !== null && job.pipeline_version !== null
      ? await repos.pipelines.version(scope, job.pipeline_id, job.pipeline_version)
      : undefined;
  if (!graph) {
    throw new RunFailure({
      code: 'config_invalid',
      class: 'config',
      message: 'The pipeline was deleted before the run could begin.',
    });
  }
  return planGraph(parseGraph(graph));
};

interface PreparedStage {
  splits: NewSplit[];
  /** What an earlier run of the chain has delivered already. */
  committed: ReadonlyMap<number, Counts>;
}

/**
 * Prepares a stage's destination and cuts its source into splits. A retry takes the splits of the
 * run before it, so that the markers of what that one committed mean the same rows.
 */
const prepareStage = async (
  deps: ActivityDeps,
  job: Job,
  stage: Stage,
  ctx: CallContext,
): Promise<PreparedStage> => {
  const scope = { workspaceId: job.workspace_id };
  return withEndpoints(deps, scope, stage, async ({ source, destination }) => {
    const columns = await source.columns(stage.source.config, ctx);
    await destination.prepare(stage.destination.config, columns, ctx);
    const earlier =
      job.retry_of === null ? [] : await deps.repos.splits.ofStage(scope, job.retry_of, stage.id);
    if (earlier.length > 0) {
      return {
        splits: earlier.map(({ split, range }) => ({ stage: stage.id, split, range })),
        committed: await destination.committed(job.root_job_id, stage.id, ctx),
      };
    }
    const ranges = await source.splits(stage.source.config, deps.settings.splitBytes, ctx);
    return {
      splits: ranges.map((range, split) => ({
        stage: stage.id,
        split,
        range: JSON.stringify(range),
      })),
      committed: new Map(),
    };
  });
};

const saveStage = async (
  tx: Repos,
  job: Job,
  stage: Stage,
  { splits, committed }: PreparedStage,
): Promise<void> => {
  const scope = { workspaceId: job.workspace_id };
  await tx.splits.add(scope, job.id, splits);
  for (const [split, counts] of committed) {
    await tx.splits.succeed(scope, job.id, stage.id, split, splitCounts(counts, counts));
  }
};

export const makePlan = (deps: ActivityDeps) => ({
  /** Plans the pinned definition, prepares destinations, and answers the first batch of splits. */
  plan: ({ jobId }: JobRef): Promise<SplitBatch> =>
    reportingFailures(deps.log, () =>
      withHeartbeat(deps.settings.heartbeatMs, async () => {
        const { repos, inTransaction } = deps;
        const job = await getJob(deps, jobId);
        const scope = { workspaceId: job.workspace_id };
        const log = makeJobLog(repos.logs, scope, jobId, null);
        const ctx = { signal: Context.current().cancellationSignal, log };
        try {
          const plan = await pinnedPlan(deps, job);
          const partial = await repos.jobs.partialPredecessor(scope, job);
          const warnings = partial === undefined ? [] : ['previous_run_partial'];
          if (partial !== undefined) {
            log.warn(
              `Run ${partial} left rows behind (retry or undo it); this run appends its own.`,
            );
          }
          const prepared: [Stage, PreparedStage][] = [];
          for (const stage of plan.stages) {
            log.info(`Stage ${stage.id}: ${stage.nodes.join(' → ')} by ${stage.path}.`);
            const one = await prepareStage(deps, job, stage, ctx);
            if (one.committed.size > 0) {
              log.info(`${one.committed.size} of ${one.splits.length} splits are there already.`);
            }
            prepared.push([stage, one]);
          }
          await inTransaction(async (tx) => {
            await tx.jobs.savePlan(scope, jobId, JSON.stringify(plan), warnings);
            for (const [stage, one] of prepared) await saveStage(tx, job, stage, one);
            await log.flushInto(tx);
          });
          return await batchOf(deps, job, plan, 0);
        } finally {
          await log.flush();
        }
      }),
    ),
});
