import { WorkflowExecutionAlreadyStartedError, WorkflowIdReusePolicy } from '@temporalio/client';
import { defineSearchAttributeKey } from '@temporalio/common';
import type { SearchAttributePair } from '@temporalio/common';
import { workflowIdOf } from '../core/jobs.js';
import type { JobType } from '../core/jobs.js';
import type { StartableJob } from '../db/repos/dispatch.js';
import { jobWorkflows, queues } from '../workflows/contract.js';
import type { JobInput } from '../workflows/contract.js';
import { bounded } from './deps.js';
import type { DispatchDeps } from './deps.js';

const keyword = (name: string, value: string): SearchAttributePair => ({
  key: defineSearchAttributeKey(name, 'KEYWORD'),
  value,
});

/** Words for the Web UI. */
const titles: Readonly<Record<JobType, string>> = { pipeline_run: 'Run', run_undo: 'Undo' };

const start = async (
  { client, settings }: DispatchDeps,
  { id, type, workspaceId, pipelineId, pipelineName, trigger }: StartableJob,
): Promise<void> => {
  const input: JobInput = { jobId: id, heartbeatSeconds: settings.heartbeatSeconds };
  try {
    await bounded(client, () =>
      client.workflow.start(jobWorkflows[type], {
        workflowId: settings.prefix + workflowIdOf({ type, id }),
        taskQueue: settings.queueName(queues.control),
        args: [input],
        workflowIdReusePolicy: WorkflowIdReusePolicy.REJECT_DUPLICATE,
        staticSummary: `${titles[type]} of ${pipelineName ?? 'a pipeline'} (${trigger})`,
        typedSearchAttributes: [
          keyword('WorkspaceId', workspaceId),
          keyword('JobType', type),
          ...(pipelineId === null ? [] : [keyword('PipelineId', pipelineId)]),
        ],
      }),
    );
  } catch (error) {
    // Someone else was first, or we were and did not hear the answer: it runs, which is all we want.
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
};

/** Duty 1: what is admitted runs. */
export const startAdmitted = async (deps: DispatchDeps): Promise<void> => {
  const { repos, log, settings } = deps;
  const jobs = await repos.dispatch.claimStarts(settings.reclaimStartMs);
  await Promise.all(
    jobs.map(async (job) => {
      try {
        await start(deps, job);
        await repos.dispatch.started(job.id);
      } catch (error) {
        log.warn({ err: error, jobId: job.id }, 'could not start; the next tick tries again');
        await repos.dispatch.releaseStart(job.id);
      }
    }),
  );
};
