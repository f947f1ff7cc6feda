import type { Knex } from 'knex';
import { makeRepos } from './repos/index.js';
import type { Repos } from './repos/index.js';

export interface Committed<T> {
  value: T;
  /** Jobs that may need a start or a signal now. */
  touchedJobs: readonly string[];
}

export type InTransaction = <T>(work: (repos: Repos) => Promise<T>) => Promise<Committed<T>>;

/** One unit of work: everything in it is there afterwards, or nothing is. */
export const makeInTransaction =
  (db: Knex): InTransaction =>
  async (work) => {
    const touchedJobs: string[] = [];
    const value = await db.transaction((trx) => work(makeRepos(trx, touchedJobs)));
    return { value, touchedJobs };
  };
