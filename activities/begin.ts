import type { JobRef } from '../workflows/contract.js';
import type { ActivityDeps } from './deps.js';
import { reportingFailures } from './failure.js';

export const makeBegin = ({ inTransaction, log }: ActivityDeps) => ({
  /** Takes the job from queued to running; `go: false` when it was cancelled before. */
  begin: ({ jobId }: JobRef): Promise<{ go: boolean }> =>
    reportingFailures(log, async () => {
      const { value: job } = await inTransaction((repos) => repos.jobs.begin(jobId));
      return { go: job !== undefined };
    }),
});
