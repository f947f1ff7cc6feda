import { Context } from '@temporalio/activity';
import { RunFailure } from '../core/failures.js';
import { parseGraph } from '../core/graph/index.js';
import { planGraph } from '../core/plan.js';
import type { RunPlan, Stage } from '../core/plan.js';
import type { WorkspaceScope } from '../core/scope.js';
import type { CallContext } from '../connectors/connector.js';
import type { Job } from '../db/models/tables.js';
import type { JobRef, SplitBatch } from '../workflows/contract.js';
import { batchOf } from './batches.js';
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

/**
 * Prepares a stage's destination and writes down its splits. A retry takes the splits of the run
 * before it, so that the markers of what that one committed mean the same rows.
 */
const prepareStage = async (
  deps: ActivityDeps,
  job: Job,
  scope: WorkspaceScope,
  stage: Stage,
  ctx: CallContext,
): Promise<void> => {
  const { repos } = deps;
  await withEndpoints(deps, scope, stage, async ({ source, destination }) => {
    const columns = await source.columns(stage.source.config, ctx);
    await destination.prepare(stage.destination.config, columns, ctx);
    const earlier =
      job.retry_of === null ? [] : await repos.splits.ofStage(scope, job.retry_of, stage.id);
    const splits =
      earlier.length > 0
        ? earlier.map(({ split, range }) => ({ stage: stage.id, split, range }))
        : (await source.splits(stage.source.config, deps.settings.splitBytes, ctx)).map(
            (range, split) => ({
              stage: stage.id,
              split,
              range: JSON.stringify(range),
            }),
          );
    await repos.splits.add(scope, job.id, splits);
    if (job.retry_of === null) return;
    const committed = await destination.committed(job.root_job_id, stage.id, ctx);
    for (const [split, { rows, bytes }] of committed) {
      await repos.splits.succeed(scope, job.id, stage.id, split, {
        ...{ rowsRead: rows, rowsWritten: rows },
        ...{ bytesRead: bytes, bytesWritten: bytes },
      });
    }
    if (committed.size > 0) {
      ctx.log.info(
        `${committed.size} of ${splits.length} splits were committed by an earlier run.`,
      );
    }
  });
};

export const makePlan = (deps: ActivityDeps) => ({
  /** Plans the pinned definition, prepares destinations, and answers the first batch of splits. */
  plan: ({ jobId }: JobRef): Promise<SplitBatch> =>
    reportingFailures(deps.log, () =>
      withHeartbeat(deps.settings.heartbeatMs, async () => {
        const { repos } = deps;
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
          await repos.jobs.savePlan(scope, jobId, JSON.stringify(plan), warnings);
          for (const stage of plan.stages) {
            log.info(`Stage ${stage.id}: ${stage.nodes.join(' → ')} by ${stage.path}.`);
            await prepareStage(deps, job, scope, stage, ctx);
          }
          return await batchOf(deps, job, plan, 0);
        } finally {
          await log.flush();
        }
      }),
    ),
});
