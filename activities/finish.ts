import type { Failure } from '../core/failures.js';
import type { RunMetrics } from '../core/metrics.js';
import { sumSplits } from '../core/metrics.js';
import { untruth } from '../core/truth.js';
import type { TerminalStatus } from '../core/status.js';
import type { StageTotals } from '../db/repos/splits.js';
import type { FinishInput } from '../workflows/contract.js';
import type { ActivityDeps } from './deps.js';
import { reportingFailures } from './failure.js';
import { findJob } from './job.js';
import { makeJobLog } from './jobLog.js';
import { planOf } from './runPlan.js';

const mostAttempts = (totals: readonly StageTotals[]): number =>
  Math.max(1, ...totals.map(({ attempts }) => attempts));

const endLine = (status: TerminalStatus, metrics: RunMetrics, failure: Failure | null): string => {
  const failed = metrics.rowsFailed > 0 ? `, ${metrics.rowsFailed} failed` : '';
  const counts = `${metrics.rowsRead} rows read, ${metrics.rowsWritten} written${failed}`;
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
      // An undo has neither plan nor splits: its own result says what it did.
      const plan = job.plan === null ? undefined : planOf(job);
      const failure =
        end.status === 'succeeded' && plan ? untruth(plan.stages, totals) : end.failure;
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
        if (status === 'succeeded' && plan && job.pipeline_id !== null) {
          await tx.cursors.advance(scope, job.pipeline_id, jobId, plan.cursors);
        }
        // Together with the end: who sees the run ended sees its last line.
        await jobLog.flushInto(tx);
      });
      log.info({ jobId, status, metrics }, 'job ended');
    }),
});
