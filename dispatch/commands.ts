import { WorkflowNotFoundError } from '@temporalio/client';
import { workflowIdOf } from '../core/jobs.js';
import { signals } from '../workflows/contract.js';
import { callTimeoutMs } from './deps.js';
import type { DispatchDeps } from './deps.js';

/** Duty 2: commands reach their workflow, again and again until it acknowledges. */
export const forwardCommands = async ({
  repos,
  client,
  log,
  settings,
}: DispatchDeps): Promise<void> => {
  const commands = await repos.dispatch.claimCommands(settings.resendCommandMs);
  await Promise.all(
    commands.map(async (pending) => {
      const { jobId, type, command } = pending;
      try {
        const handle = client.workflow.getHandle(
          settings.prefix + workflowIdOf({ type, id: jobId }),
        );
        await client.withDeadline(Date.now() + callTimeoutMs, () =>
          handle.signal(signals[command]),
        );
      } catch (error) {
        // A workflow that is gone cannot be told; duty 3 finds out what became of it.
        if (error instanceof WorkflowNotFoundError) return;
        log.warn({ err: error, jobId, command }, 'could not signal; the next tick tries again');
        await repos.dispatch.unsend(pending);
      }
    }),
  );
};
