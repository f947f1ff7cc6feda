import {
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  defineSignal,
  isCancellation,
  setCurrentDetails,
  setHandler,
} from '@temporalio/workflow';
import type { Failure } from '../core/failures.js';
import { signals } from './contract.js';
import type { FinishInput } from './contract.js';
import { quickActivities } from './proxies.js';

export const cancel = defineSignal(signals.cancel);

/**
 * The frame of every job: runs its body until it ends, fails or is cancelled (by signal, or in the
 * Web UI), and writes the end down. A body that returns something has more to do and wants to
 * continue as new; that is handed back and nothing is written yet.
 */
export const asJob = async <Rest>(
  jobId: string,
  body: () => Promise<Rest | undefined>,
): Promise<Rest | undefined> => {
  const scope = new CancellationScope();
  setHandler(cancel, () => scope.cancel());

  let end: Omit<FinishInput, 'jobId'>;
  try {
    const rest = await scope.run(body);
    if (rest !== undefined && !scope.consideredCancelled) return rest;
    end = { status: rest === undefined ? 'succeeded' : 'canceled', failure: null };
  } catch (error) {
    if (isCancellation(error)) end = { status: 'canceled', failure: null };
    else if (error instanceof ActivityFailure)
      end = { status: 'failed', failure: failureOf(error) };
    else throw error;
  }
  await CancellationScope.nonCancellable(() => quickActivities().finish({ jobId, ...end }));
  setCurrentDetails(end.failure ? `Failed: ${end.failure.message}` : `The job ${end.status}.`);
  return undefined;
};

const failureOf = ({ cause }: ActivityFailure): Failure => {
  const [details] = cause instanceof ApplicationFailure ? (cause.details ?? []) : [];
  if (details !== undefined && details !== null) return details as Failure;
  return {
    code: 'internal',
    class: 'internal',
    message: 'A worker was lost and no attempt came through; see the history of the workflow.',
  };
};
