import { WorkflowNotFoundError } from '@temporalio/client';
import { sumSplits } from '../core/metrics.js';
import type { SilentJob } from '../db/repos/dispatch.js';
import { bounded, handleOf } from './deps.js';
import type { DispatchDeps } from './deps.js';

/** How the workflow ended without saying so to Postgres; undefined while it goes on. */
const endOf = async (
  { client, settings }: DispatchDeps,
  job: SilentJob,
): Promise<string | undefined> => {
  const handle = handleOf({ client, settings }, job);
  try {
    const { status } = await bounded(client, () => handle.describe());
    return status.name === 'RUNNING' ? undefined : status.name.toLowerCase();
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return 'missing';
    throw error;
  }
};

/**
 * Duty 3: a job nobody hears of is looked up. One whose workflow is gone ends here, truthfully and
 * for good: what it was doing is unknown, so it is never started a second time.
 */
export const endLost = async (deps: DispatchDeps): Promise<void> => {
  const { repos, inTransaction, log, settings } = deps;
  for (const job of await repos.dispatch.claimSilent(settings.silentMs)) {
    try {
      const end = await endOf(deps, job);
      if (end === undefined) continue;
      const scope = { workspaceId: job.workspaceId };
      const metrics = sumSplits(await repos.splits.totals(scope, job.id));
      const { value: ended } = await inTransaction((tx) =>
        tx.jobs.finish(scope, job.id, {
          status: 'failed',
          metrics,
          attempts: 1,
          failure: {
            code: 'workflow_lost',
            class: 'transient',
            message: `The workflow of this run is ${end}: it was ended outside Fluxline. Retry the run to complete it.`,
          },
        }),
      );
      if (ended)
        log.warn({ jobId: job.id, workflow: end }, 'ended a job that had lost its workflow');
    } catch (error) {
      log.warn({ err: error, jobId: job.id }, 'could not look up a silent job');
    }
  }
};
