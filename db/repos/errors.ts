import { UniqueViolationError } from 'objection';
import { AppError } from '../../core/errors.js';

/** Runs a write whose name must be free; says so where it is not. */
export const refusingDuplicates = async <T>(
  pointer: string,
  message: string,
  write: () => Promise<T>,
): Promise<T> => {
  try {
    return await write();
  } catch (error) {
    if (!(error instanceof UniqueViolationError)) throw error;
    throw new AppError('duplicate', message, { errors: [{ pointer, code: 'duplicate', message }] });
  }
};
