import { ScheduleAlreadyRunning, ScheduleOverlapPolicy } from '@temporalio/client';
import { queues, retentionWorkflow } from '../workflows/contract.js';
import { bounded } from './deps.js';
import type { DispatchDeps } from './deps.js';

/** The installation's own schedules. Creating one that is there already is success. */
export const ensureSchedules = async ({ client, settings }: DispatchDeps): Promise<void> => {
  try {
    await bounded(client, () =>
      client.schedule.create({
        scheduleId: `${settings.prefix}retention`,
        spec: { calendars: [{ hour: 3, minute: 17 }], timezone: 'UTC' },
        policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '12 hours' },
        action: {
          type: 'startWorkflow',
          workflowType: retentionWorkflow,
          workflowId: `${settings.prefix}retention`,
          taskQueue: settings.queueName(queues.control),
          staticSummary: 'Deletes what has outlived its keep',
        },
      }),
    );
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
  }
};
