import type { Failure } from '../core/failures.js';
import type { RunMetrics } from '../core/metrics.js';
import { sumSplits } from '../core/metrics.js';
import type { TerminalStatus } from '../core/status.js';
import type { StageTotals } from '../db/repos/splits.js';
import type { FinishInput } from '../workflows/contract.js';
import type { ActivityDeps } from './deps.js';
import { reportingFailures } from './failure.js';
import { findJob } from './job.js';
import { makeJobLog } from './jobLog.js';

/** A run that says it succeeded must have every split done and every row it read written. */
const untruth = (totals: readonly StageTotals[]): Failure | null => {
  const wrong = totals.find(
    (stage) => stage.done < stage.splits || stage.rowsRead !== stage.rowsWritten,
  );
  if (!wrong) return null;
  return {
    code: 'count_mismatch',
    class: 'internal',
    nodeId: wrong.stage,
    message:
      `${wrong.done} of ${wrong.splits} splits are done, ` +
      `${wrong.rowsRead} rows were read and ${wrong.rowsWritten} written.`,
  };
};

const mostAttempts = (totals: readonly StageTotals[]): number =>
  Math.max(1, ...totals.map(({ attempts }) => attempts));

const endLine = (status: TerminalStatus, metrics: RunMetrics, failure: Failure | null): string => {
  const counts = `${metrics.rowsRead} rows read, ${metrics.rowsWritten} written`;
  return failure
    ? `The run failed: ${failure.message} (${counts})`
    : `The run ${status}: ${counts}.`;
};

export const makeFinish = (deps: ActivityDeps) => ({
  /** The terminal write. Repeating it changes nothing. */
  finish: ({ jobId, ...end }: FinishInput): Promise<void> =>
    reportingFailures(deps.log, async () => {
      const { repos, inTransaction, log } = deps;
      const job = await findJob(deps, jobId);
      if (!job || job.finished_at) return;
      const scope = { workspaceId: job.workspace_id };
      const totals = await repos.splits.totals(scope, jobId);
      const metrics = sumSplits(totals);
      const failure = end.status === 'succeeded' ? untruth(totals) : end.failure;
      const status = end.status === 'succeeded' && failure ? 'failed' : end.status;

      const jobLog = makeJobLog(repos.logs, scope, jobId, failure?.nodeId ?? null);
      jobLog[status === 'failed' ? 'error' : 'info'](endLine(status, metrics, failure));
      await inTransaction(async (tx) => {
        await tx.jobs.finish(scope, jobId, {
          status,
          metrics,
          failure,
          attempts: mostAttempts(totals),
        });
        // Together with the end: who sees the run ended sees its last line.
        await jobLog.flushInto(tx);
      });
      log.info({ jobId, status, metrics }, 'job ended');
    }),
});
