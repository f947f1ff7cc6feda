import { RunFailure } from '../core/failures.js';
import type { Job } from '../db/models/tables.js';
import type { ActivityDeps } from './deps.js';

/** An activity knows its job by id only; from here on everything is in the job's workspace. */
export const findJob = ({ repos }: ActivityDeps, jobId: string): Promise<Job | undefined> =>
  repos.jobs.find({ system: 'activities are handed job ids by our own workflows' }, jobId);

export const getJob = async (deps: ActivityDeps, jobId: string): Promise<Job> => {
  const job = await findJob(deps, jobId);
  if (job) return job;
  throw new RunFailure({
    code: 'workflow_lost',
    class: 'internal',
    message: 'The job no longer exists.',
  });
};
