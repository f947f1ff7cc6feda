import { ActivityCancellationType, proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { Activities } from '../activities/index.js';
import { liveSeconds, queues } from './contract.js';
import type { Queue } from './contract.js';

/** All our queues share the prefix of the one this workflow runs on. */
const queueName = (queue: Queue): string => {
  const { taskQueue } = workflowInfo();
  return taskQueue.slice(0, taskQueue.length - queues.control.length) + queue;
};

/** Metadata: short, and worth repeating until our own database answers. */
export const quickActivities = () =>
  proxyActivities<Activities>({
    taskQueue: queueName(queues.control),
    startToCloseTimeout: '10 seconds',
    retry: {
      initialInterval: '500 milliseconds',
      backoffCoefficient: 2,
      maximumInterval: '30 seconds',
    },
  });

/**
 * Connector I/O: as long as it takes, as long as it shows signs of life. Failures say themselves
 * whether another attempt can help; twenty of those with back-off are about eight minutes.
 */
export const ioActivities = (heartbeatSeconds: number) =>
  proxyActivities<Activities>({
    taskQueue: queueName(queues.batch),
    startToCloseTimeout: '24 hours',
    heartbeatTimeout: heartbeatSeconds * 1000,
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    retry: {
      initialInterval: '1 second',
      backoffCoefficient: 2,
      maximumInterval: '30 seconds',
      maximumAttempts: 20,
    },
  });

/**
 * Holding on to something: as long as the workflow wants it. Once lost it is lost, so there is one
 * attempt; and whoever lets go does not wait, since the holder may be the one that has died.
 */
export const holdingActivities = (heartbeatSeconds: number) =>
  proxyActivities<Activities>({
    taskQueue: queueName(queues.streams),
    startToCloseTimeout: '24 hours',
    scheduleToStartTimeout: '1 minute',
    heartbeatTimeout: heartbeatSeconds * 1000,
    cancellationType: ActivityCancellationType.TRY_CANCEL,
    retry: { maximumAttempts: 1 },
  });

/** Somebody waits: one attempt, and no longer than they do. */
export const liveActivities = () =>
  proxyActivities<Activities>({
    taskQueue: queueName(queues.live),
    scheduleToCloseTimeout: liveSeconds * 1000,
    heartbeatTimeout: '5 seconds',
    cancellationType: ActivityCancellationType.TRY_CANCEL,
    retry: { maximumAttempts: 1 },
  });
