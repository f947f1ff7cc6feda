import type { Knex } from 'knex';
import { AppError, notFound } from '../../core/errors.js';
import type { WorkspaceScope } from '../../core/scope.js';
import { isTerminal } from '../../core/status.js';
import type { Priority } from '../../core/status.js';
import type { Job } from '../models/tables.js';
import { makeJobs } from './jobs.js';
import { makePipelines } from './pipelines.js';

export interface RequestedBy {
  requestedBy: string;
  requestId: string;
}

const wrong = (message: string): AppError => new AppError('wrong_state', message);

const priorityOf = ({ priority }: Job): Priority =>
  priority > 1 ? 'high' : priority < 1 ? 'low' : 'normal';

interface Chain {
  run: Job;
  pipeline: { id: string; name: string; version: number };
}

/** What can be done about a run that did not succeed: complete it, or take it back. */
export const makeRetries = (db: Knex, touched: string[]) => {
  const jobs = makeJobs(db, touched);
  const pipelines = makePipelines(db);

  /** The run, once it is sure that nothing else is at work on the same delivery. */
  const idle = async (scope: WorkspaceScope, id: string): Promise<Chain> => {
    const { root_job_id: root, type } = await jobs.get(scope, id);
    if (type !== 'pipeline_run') throw notFound();
    const chain = await jobs.chain(scope, root);
    const run = chain.find((job) => job.id === id);
    if (!run) throw notFound();
    if (!isTerminal(run.status)) throw wrong('The run has not ended yet; cancel it first.');
    if (run.status === 'succeeded') throw wrong('The run succeeded.');
    const open = chain.find((job) => !isTerminal(job.status));
    if (open) throw wrong(`Job ${open.id} is already at work on this run.`);
    const done = chain.find((job) => job.type === 'pipeline_run' && job.status === 'succeeded');
    if (done) throw wrong(`Run ${done.id} has completed this run.`);
    const { pipeline_id, pipeline_name, pipeline_version } = run;
    if (pipeline_id === null || pipeline_name === null || pipeline_version === null) {
      throw wrong('The pipeline of this run no longer exists.');
    }
    return { run, pipeline: { id: pipeline_id, name: pipeline_name, version: pipeline_version } };
  };

  return {
    /** The same pinned definition and variables; what is committed is not written again. */
    retry: async (
      scope: WorkspaceScope,
      id: string,
      by: RequestedBy,
    ): Promise<{ job: Job; pipelineId: string }> => {
      const { run, pipeline } = await idle(scope, id);
      const { status } = await pipelines.getLive(scope, pipeline.id);
      if (status === 'archived') throw wrong('The pipeline is archived.');
      const job = await jobs.enqueue(scope, {
        type: 'pipeline_run',
        trigger: run.trigger,
        priority: priorityOf(run),
        pipeline,
        environmentId: run.environment_id,
        variables: run.variables,
        retryOf: { id: run.id, rootJobId: run.root_job_id },
        ...by,
      });
      return { job, pipelineId: pipeline.id };
    },

    undo: async (scope: WorkspaceScope, id: string, by: RequestedBy): Promise<Job> => {
      const { run, pipeline } = await idle(scope, id);
      if (run.undone_at) throw wrong('The run is undone already.');
      return jobs.enqueue(scope, {
        type: 'run_undo',
        trigger: 'manual',
        priority: 'high',
        pipeline,
        environmentId: null,
        variables: '{}',
        undoOf: run.root_job_id,
        ...by,
      });
    },
  };
};
