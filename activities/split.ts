import { Context } from '@temporalio/activity';
import { RunFailure } from '../core/failures.js';
import type { SplitRange } from '../connectors/connector.js';
import type { SplitCounts } from '../db/repos/splits.js';
import { runSplit } from '../engine/runSplit.js';
import type { SplitRef } from '../workflows/contract.js';
import { planOf } from './batches.js';
import { splitCounts } from './counts.js';
import type { ActivityDeps } from './deps.js';
import { withEndpoints } from './endpoints.js';
import { reportingFailures } from './failure.js';
import { withHeartbeat } from './heartbeat.js';
import { getJob } from './job.js';
import { makeJobLog } from './jobLog.js';

const progressEveryMs = 2_000;

/** Hands over the latest of what it is told, at most every two seconds. */
const throttled = (write: (counts: SplitCounts) => Promise<void>) => {
  let due = performance.now() + progressEveryMs;
  let writing = false;
  return (counts: SplitCounts): void => {
    if (writing || performance.now() < due) return;
    due = performance.now() + progressEveryMs;
    writing = true;
    // Counters on their way are a courtesy; the final ones are written by the activity itself.
    void write(counts)
      .catch(() => undefined)
      .finally(() => {
        writing = false;
      });
  };
};

export const makeSplit = (deps: ActivityDeps) => ({
  /** Moves one split. However often it is called, the destination takes the rows once. */
  runSplit: ({ jobId, stage: stageId, split }: SplitRef): Promise<void> =>
    reportingFailures(deps.log, () =>
      withHeartbeat(deps.settings.heartbeatMs, async () => {
        const { repos, inTransaction } = deps;
        const { cancellationSignal: signal, info } = Context.current();
        const job = await getJob(deps, jobId);
        const scope = { workspaceId: job.workspace_id };
        const stage = planOf(job).stages.find(({ id }) => id === stageId);
        const row = await repos.splits.get(scope, jobId, stageId, split);
        if (!stage || !row) throw new RangeError(`no split ${stageId}/${split} in job ${jobId}`);
        if (row.status === 'succeeded') return;
        await repos.splits.start(scope, jobId, stageId, split, info.attempt);

        const log = makeJobLog(repos.logs, scope, jobId, stageId);
        const report = throttled(async (counts) => {
          await repos.splits.progress(scope, jobId, stageId, split, info.attempt, counts);
          await repos.logs.seen(scope, jobId);
        });
        try {
          const outcome = await withEndpoints(deps, scope, stage, ({ source, destination }) =>
            runSplit(
              {
                source,
                sourceConfig: stage.source.config,
                range: JSON.parse(row.range) as SplitRange,
                destination,
                destinationConfig: stage.destination.config,
                marker: { rootJobId: job.root_job_id, stage: stageId, split },
              },
              (read, written) => report(splitCounts(read, written)),
              { signal, log },
            ),
          );
          const how = outcome.already ? 'had been committed by an earlier attempt' : 'committed';
          log.info(`Split ${split} ${how}: ${outcome.written.rows} rows.`);
          await inTransaction(async (tx) => {
            await tx.splits.succeed(
              scope,
              jobId,
              stageId,
              split,
              splitCounts(outcome.read, outcome.written),
            );
            await log.flushInto(tx);
          });
        } catch (error) {
          if (error instanceof RunFailure && !signal.aborted) {
            log.warn(`Split ${split}, attempt ${info.attempt}: ${error.failure.message}`);
            throw new RunFailure(
              { nodeId: stage.destination.nodeId, ...error.failure },
              { cause: error },
            );
          }
          throw error;
        } finally {
          await log.flush();
        }
      }),
    ),
});
