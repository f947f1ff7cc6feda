import { RunFailure } from '../core/failures.js';

/** A failure that does not say at which node it came about says so from here on. */
export const blaming = async <T>(nodeId: string, work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof RunFailure)) throw error;
    throw new RunFailure({ nodeId, ...error.failure }, { cause: error });
  }
};
