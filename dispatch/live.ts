import { WorkflowFailedError } from '@temporalio/client';
import { ActivityFailure, TimeoutFailure } from '@temporalio/common';
import { AppError } from '../core/errors.js';
import { liveSeconds, liveWorkflow, queues } from '../workflows/contract.js';
import type { LiveInput } from '../workflows/contract.js';
import { bounded } from './deps.js';
import type { DispatchDeps } from './deps.js';

const noWorker = (queue: string): AppError =>
  new AppError('no_worker', `No worker serves the queue ${queue}; start one and try again.`, {
    retryAfterSeconds: 5,
  });

/** A little more than the call itself may take, for the way there and back. */
const patienceMs = (liveSeconds + 5) * 1000;

/** What a call that came to nothing means to whoever waited for it. */
const failureOf = (error: unknown, liveQueue: string): unknown => {
  if (!(error instanceof WorkflowFailedError)) return error;
  const cause = error.cause instanceof ActivityFailure ? error.cause.cause : error.cause;
  if (cause instanceof TimeoutFailure && cause.timeoutType === 'SCHEDULE_TO_START') {
    return noWorker(liveQueue);
  }
  if (cause instanceof TimeoutFailure) {
    return new AppError('unavailable', 'The worker that was asked did not answer in time.', {
      retryAfterSeconds: 5,
    });
  }
  return new AppError('internal', 'The worker could not answer; its log says why.');
};

/**
 * Has a worker answer the question that lies under `input.id`, and comes back when it has. Whoever
 * asked and went away cancels it.
 */
export const callLive = async (
  { client, repos, settings }: DispatchDeps,
  input: LiveInput,
  signal: AbortSignal,
): Promise<void> => {
  const needed = [settings.queueName(queues.control), settings.queueName(queues.live)];
  const [unserved] = await repos.workers.unserved(needed);
  if (unserved !== undefined) throw noWorker(unserved);
  signal.throwIfAborted();
  const handle = await bounded(client, () =>
    client.workflow.start(liveWorkflow, {
      workflowId: `${settings.prefix}live-${input.id}`,
      taskQueue: settings.queueName(queues.control),
      args: [input],
      workflowExecutionTimeout: patienceMs,
      staticSummary: `Live call ${input.call}`,
    }),
  );
  const cancel = (): void => {
    // Nobody waits any more; one that cannot be cancelled ends by its own time limit.
    bounded(client, () => handle.cancel()).catch(() => undefined);
  };
  signal.addEventListener('abort', cancel, { once: true });
  try {
    await client.withDeadline(Date.now() + patienceMs, () =>
      client.withAbortSignal(signal, () => handle.result()),
    );
  } catch (error) {
    signal.throwIfAborted();
    throw failureOf(error, settings.queueName(queues.live));
  } finally {
    signal.removeEventListener('abort', cancel);
  }
};
