import { Context } from '@temporalio/activity';
import { RunFailure, isRetryable } from '../core/failures.js';
import type { StageRef } from '../workflows/contract.js';
import type { ActivityDeps } from './deps.js';
import { withEnds } from './ends.js';
import { reportingFailures } from './failure.js';
import { withHeartbeat } from './heartbeat.js';
import { getJob } from './job.js';
import { noLog } from './jobLog.js';
import { stageOf } from './runPlan.js';

/** A source that is away for a moment costs a snapshot, not the run. */
const asLost = (error: unknown): unknown =>
  error instanceof RunFailure && isRetryable(error.failure)
    ? new RunFailure(
        { code: 'snapshot_lost', class: 'transient', message: error.failure.message },
        { cause: error },
      )
    : error;

export const makeHold = (deps: ActivityDeps) => ({
  /**
   * Keeps one state of a source readable until the workflow lets go. Which one it is stands in
   * Postgres, for the generation of the stage that asked for it.
   */
  holdSnapshot: ({ jobId, stage: stageId }: StageRef): Promise<void> =>
    reportingFailures(deps.log, () =>
      withHeartbeat(deps.settings.heartbeatMs, async () => {
        const { cancelled, cancellationSignal: signal } = Context.current();
        const job = await getJob(deps, jobId);
        const scope = { workspaceId: job.workspace_id };
        const { stage, delivery } = await stageOf(deps, job, stageId);
        const ctx = { signal, log: noLog };
        try {
          await withEnds(deps, scope, stage, { sources: true }, async ({ sources: [end] }) => {
            const snapshot = await end?.source.holdSnapshot?.(ctx);
            if (!snapshot) throw new RangeError(`stage ${stageId} has no snapshot to hold`);
            try {
              const { generation } = delivery;
              const wanted = await deps.repos.stages.saveSnapshot(
                scope,
                jobId,
                stageId,
                generation,
                snapshot.id,
              );
              if (wanted) await Promise.race([cancelled, snapshot.lost]);
            } finally {
              await snapshot.release();
            }
          });
        } catch (error) {
          throw asLost(error);
        }
      }),
    ),
});
