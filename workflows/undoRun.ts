/**
 * Executes one run_undo job: takes back what a chain of runs has committed, each stage in one
 * transaction of its destination.
 */
import { setCurrentDetails } from '@temporalio/workflow';
import type { JobInput } from './contract.js';
import { asJob } from './job.js';
import { ioActivities, quickActivities } from './proxies.js';

export async function undoRun({ jobId, heartbeatSeconds }: JobInput): Promise<void> {
  await asJob(jobId, async () => {
    const { go } = await quickActivities().begin({ jobId });
    if (!go) return undefined;
    setCurrentDetails('Removing rows');
    await ioActivities(heartbeatSeconds).undo({ jobId });
    return undefined;
  });
}
