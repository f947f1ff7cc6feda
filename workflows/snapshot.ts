import {
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  isCancellation,
} from '@temporalio/workflow';
import type { FailureCode } from '../core/failures.js';
import type { JobInput } from './contract.js';
import { holdingActivities } from './proxies.js';

const lost: FailureCode = 'snapshot_lost';

/**
 * The source has nothing to read the rest from: all of the stage has to be read again. A holder
 * that is gone means the same, whatever took it, unless another one would fail just so.
 */
export const isSnapshotLost = (error: unknown): boolean => {
  if (!(error instanceof ActivityFailure) || isCancellation(error)) return false;
  const { cause, activityType } = error;
  if (cause instanceof ApplicationFailure && cause.type === lost) return true;
  const final = cause instanceof ApplicationFailure && cause.nonRetryable;
  return activityType === 'holdSnapshot' && !final;
};

/**
 * Runs the body while another activity holds the snapshot that it reads. Whichever ends first
 * ends the other: without its holder the body cannot go on.
 */
export const whileHeld = async <T>(
  { jobId, heartbeatSeconds }: JobInput,
  stage: string,
  body: () => Promise<T>,
): Promise<T> => {
  const scope = new CancellationScope();
  let holderError: unknown;
  const holder = new CancellationScope();
  const held = holder
    .run(() => holdingActivities(heartbeatSeconds).holdSnapshot({ jobId, stage }))
    .catch((error: unknown) => {
      holderError = error;
      scope.cancel();
    });
  try {
    return await scope.run(body);
  } catch (error) {
    // The body was stopped because its holder had failed: that is the reason to tell.
    throw holderError ?? error;
  } finally {
    holder.cancel();
    await held;
  }
};
