import { Context } from '@temporalio/activity';
import type { JobRef } from '../workflows/contract.js';
import { noLog } from './jobLog.js';
import type { ActivityDeps } from './deps.js';
import { reportingFailures } from './failure.js';
import { withHeartbeat } from './heartbeat.js';
import { getJob } from './job.js';

export const makeStaged = (deps: ActivityDeps) => ({
  /** Frees what the stages of a run have handed to each other. */
  clearStaging: ({ jobId }: JobRef): Promise<void> =>
    reportingFailures(deps.log, () =>
      withHeartbeat(deps.settings.heartbeatMs, async () => {
        const job = await getJob(deps, jobId);
        const { cancellationSignal: signal } = Context.current();
        const ctx = { signal, log: noLog };
        await deps.engine.staging.removeJob(job.root_job_id, ctx);
      }),
    ),
});
