import { ApplicationFailure, CancelledFailure, Context } from '@temporalio/activity';
import type { Logger } from 'pino';
import { RunFailure, isRetryable } from '../core/failures.js';
import type { Failure } from '../core/failures.js';

/** Carried over Temporal: the code as its type, the whole failure as its detail, no driver text. */
const toTemporal = (failure: Failure, retryable: boolean): ApplicationFailure =>
  ApplicationFailure.create({
    type: failure.code,
    message: failure.message,
    nonRetryable: !retryable,
    details: [failure],
  });

const internal: Failure = {
  code: 'internal',
  class: 'internal',
  message: 'An internal error; the worker log has it.',
};

/**
 * Runs the body of an activity and decides what its end means. A classified failure says itself
 * whether to try again. Anything else is our own database away or a defect of ours: tried again
 * too, since the one passes and the other shows in the log.
 */
export const reportingFailures = async <T>(log: Logger, body: () => Promise<T>): Promise<T> => {
  try {
    return await body();
  } catch (error) {
    const context = Context.current();
    if (context.cancellationSignal.aborted)
      throw new CancelledFailure('The activity was cancelled');
    if (error instanceof RunFailure) {
      log.warn({ failure: error.failure, cause: String(error.cause) }, 'activity failed');
      // Another attempt would find the same snapshot gone: the workflow starts the stage over.
      const again = isRetryable(error.failure) && error.failure.code !== 'snapshot_lost';
      throw toTemporal(error.failure, again);
    }
    log.error({ err: error, activity: context.info.activityType }, 'activity error');
    throw toTemporal(internal, true);
  }
};
