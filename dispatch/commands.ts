import { WorkflowNotFoundError } from '@temporalio/client';
import { signals } from '../workflows/contract.js';
import { bounded, handleOf } from './deps.js';
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
        const handle = handleOf({ client, settings }, { type, id: jobId });
        await bounded(client, () => handle.signal(signals[command]));
      } catch (error) {
        // A workflow that is gone cannot be told; duty 3 finds out what became of it.
        if (error instanceof WorkflowNotFoundError) return;
        log.warn({ err: error, jobId, command }, 'could not signal; the next tick tries again');
        await repos.dispatch.unsend(pending);
      }
    }),
  );
};
