import { Context } from '@temporalio/activity';
import { RunFailure } from '../core/failures.js';
import { untruth } from '../core/truth.js';
import type { JobSplit } from '../db/models/tables.js';
import type { Attempt } from '../engine/files/destination.js';
import type { SplitOutput } from '../engine/outcome.js';
import type { StageRef } from '../workflows/contract.js';
import type { ActivityDeps } from './deps.js';
import { withEnds } from './ends.js';
import { reportingFailures } from './failure.js';
import { withHeartbeat } from './heartbeat.js';
import { getJob } from './job.js';
import { makeJobLog } from './jobLog.js';
import { planOf, stageOf } from './runPlan.js';

/** The attempts whose files count. */
const winnersOf = (splits: readonly JobSplit[]): Attempt[] =>
  splits.flatMap(({ split, output }) =>
    output === null ? [] : [{ split, attempt: (JSON.parse(output) as SplitOutput).attempt }],
  );

export const makePublish = (deps: ActivityDeps) => ({
  /**
   * Makes a stage's rows visible, all at once, now that every stage is done. What does not add up
   * is never shown.
   */
  publish: ({ jobId, stage: stageId }: StageRef): Promise<void> =>
    reportingFailures(deps.log, () =>
      withHeartbeat(deps.settings.heartbeatMs, async () => {
        const { repos } = deps;
        const job = await getJob(deps, jobId);
        const scope = { workspaceId: job.workspace_id };
        const log = makeJobLog(repos.logs, scope, jobId, stageId);
        const ctx = { signal: Context.current().cancellationSignal, log };
        try {
          const { stage, delivery } = await stageOf(deps, job, stageId);
          const wrong = untruth(planOf(job).stages, await repos.splits.totals(scope, jobId));
          if (wrong) throw new RunFailure(wrong);
          await withEnds(
            deps,
            scope,
            stage,
            { destination: true },
            async ({ destination: end }) => {
              if (end?.kind === 'table') await end.destination.publish?.(end.config, delivery, ctx);
              if (end?.kind === 'files') {
                const splits = await repos.splits.ofStage(scope, jobId, stageId);
                await end.destination.publish(end.config, delivery, winnersOf(splits), ctx);
              }
            },
          );
          log.info(`Published ${stageId}.`);
          await deps.inTransaction(async (tx) => {
            await tx.stages.published(scope, jobId, stageId);
            await log.flushInto(tx);
          });
        } finally {
          await log.flush();
        }
      }),
    ),
});
