import { UniqueViolationError } from 'objection';
import { AppError } from '../../core/errors.js';

/** Models wrap the driver's error, statements of our own do not. */
const isDuplicate = (error: unknown): boolean =>
  error instanceof UniqueViolationError || (error as { code?: unknown } | null)?.code === '23505';

/** Runs a write whose name must be free; says so where it is not. */
export const refusingDuplicates = async <T>(
  pointer: string,
  message: string,
  write: () => Promise<T>,
): Promise<T> => {
  try {
    return await write();
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    throw new AppError('duplicate', message, { errors: [{ pointer, code: 'duplicate', message }] });
  }
};
