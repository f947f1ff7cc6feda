import type { Knex } from 'knex';
import { AppError } from '../core/errors.js';
import { makeRepos } from './repos/index.js';
import type { Repos } from './repos/index.js';

export interface Committed<T> {
  value: T;
  /** Jobs that may need a start or a signal now. */
  touchedJobs: readonly string[];
}

export type InTransaction = <T>(work: (repos: Repos) => Promise<T>) => Promise<Committed<T>>;

/** Lock and statement timeouts, deadlocks, and a database that is restarting: try again. */
const passing = new Set(['55P03', '57014', '40P01', '57P01', '57P03', '53300']);

const isPassing = (error: unknown): boolean =>
  error instanceof Error && passing.has((error as { code?: string }).code ?? '');

/** One unit of work: everything in it is there afterwards, or nothing is. */
export const makeInTransaction =
  (db: Knex): InTransaction =>
  async (work) => {
    const touchedJobs: string[] = [];
    try {
      const value = await db.transaction((trx) => work(makeRepos(trx, touchedJobs)));
      return { value, touchedJobs };
    } catch (error) {
      if (!isPassing(error)) throw error;
      throw new AppError('unavailable', 'The database is busy; try again in a moment.', {
        retryAfterSeconds: 1,
      });
    }
  };
