import { Context } from '@temporalio/activity';
import type { CallContext } from '../connectors/connector.js';
import type { Job } from '../db/models/tables.js';
import type { StageRef } from '../workflows/contract.js';
import type { ActivityDeps } from './deps.js';
import { withEnds } from './ends.js';
import { reportingFailures } from './failure.js';
import { withHeartbeat } from './heartbeat.js';
import { getJob } from './job.js';
import { makeJobLog } from './jobLog.js';
import type { PlannedStage } from '../engine/plan.js';
import { stageOf } from './runPlan.js';

/** Has the destination take back what an older generation left, shut it out, and be ready anew. */
export const clearDestination = async (
  deps: ActivityDeps,
  job: Job,
  stage: PlannedStage,
  generation: number,
  ctx: CallContext,
): Promise<void> => {
  if (stage.output.kind === 'dataset') return;
  const delivery = { rootJobId: job.root_job_id, stage: stage.id, generation };
  const scope = { workspaceId: job.workspace_id };
  const cleared = await withEnds(
    deps,
    scope,
    stage,
    { destination: true },
    async ({ destination: end }) => {
      const undone = await end?.destination.startOver(end.config, delivery, ctx);
      // What gathers rows went with what was in it.
      await end?.destination.prepare(end.config, stage.way.columns, delivery, ctx);
      return undone;
    },
  );
  if (!cleared) return;
  const { rowsRemoved, rowsMissing } = cleared;
  if (rowsRemoved > 0) ctx.log.info(`${stage.id}: ${rowsRemoved} rows were taken back.`);
  if (rowsMissing > 0) {
    ctx.log.warn(
      `${stage.id}: ${rowsMissing} rows had been changed or removed since; they stay as they are.`,
    );
  }
};

export const makeStartOver = (deps: ActivityDeps) => ({
  /**
   * Makes way for the stage's next generation. The destination first: what an older one still
   * tries is shut out before anybody counts on it. One generation more than needed does no harm.
   */
  startOver: ({ jobId, stage: stageId }: StageRef): Promise<void> =>
    reportingFailures(deps.log, () =>
      withHeartbeat(deps.settings.heartbeatMs, async () => {
        const job = await getJob(deps, jobId);
        const scope = { workspaceId: job.workspace_id };
        const log = makeJobLog(deps.repos.logs, scope, jobId, stageId);
        const ctx = { signal: Context.current().cancellationSignal, log };
        try {
          const { stage, delivery } = await stageOf(deps, job, stageId);
          const from = delivery.generation;
          log.warn(`The snapshot of ${stageId} was lost: the stage starts over.`);
          await clearDestination(deps, job, stage, from + 1, ctx);
          await deps.inTransaction(async (tx) => {
            await tx.splits.removeStage(scope, jobId, stageId);
            await tx.deadLetters.removeStage(scope, jobId, stageId);
            await tx.stages.startOver(scope, jobId, stageId, from);
            await log.flushInto(tx);
          });
        } finally {
          await log.flush();
        }
      }),
    ),
});
