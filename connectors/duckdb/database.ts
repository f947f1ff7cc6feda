import { setTimeout as pause } from 'node:timers/promises';
import { connectFailure } from '../../core/connecting.js';
import { RunFailure } from '../../core/failures.js';
import type { CallContext, OpenDeps } from '../connector.js';
import type { DatabaseAnswer, DatabaseProgram, DatabaseResult } from '../duckdbPort.js';
import { classify, isLocked } from './classify.js';
import type { DuckdbConfig } from './manifest.js';
import { placeOf } from './place.js';

export type Access = DatabaseProgram['access'];

/** A database file for the time of one call. */
export interface Database {
  /** The catalog that it is. */
  name: string;
  /** There is a file already. */
  exists: boolean;
  /** An empty directory that statements may read and write. */
  directory: string;
  /** What came of them; a problem is for the caller. The file is free again afterwards. */
  attempt(access: Access, statements: readonly string[]): Promise<DatabaseAnswer>;
  /** The same, where a problem is a failure. */
  run(access: Access, statements: readonly string[]): Promise<readonly DatabaseResult[]>;
}

const [firstPauseMs, longestPauseMs] = [25, 500];

const noEngine = (): RunFailure =>
  new RunFailure({
    code: 'config_invalid',
    class: 'config',
    message: 'Database files can only be opened by workers.',
  });

/**
 * One process at a time may write to a file, and nobody reads meanwhile; DuckDB does not wait for
 * its turn, so we do.
 */
const untilFree = async (
  run: () => Promise<DatabaseAnswer>,
  patienceMs: number,
  { signal }: CallContext,
): Promise<DatabaseAnswer> => {
  const until = performance.now() + patienceMs;
  for (let wait = firstPauseMs; ; wait = Math.min(wait * 2, longestPauseMs)) {
    const answer = await run();
    const locked = 'problem' in answer && isLocked(answer.problem);
    if (!locked || performance.now() + wait > until) return answer;
    // Those who wait for the same file are not to knock all at once.
    await pause(wait * (0.5 + Math.random()), undefined, { signal });
  }
};

export interface OpenDatabase extends Database {
  close(): Promise<void>;
}

/** `patience` in seconds, where it is less than the connection's. To be closed. */
export const openDatabase = async (
  config: DuckdbConfig,
  deps: OpenDeps,
  ctx: CallContext,
  patience = Infinity,
): Promise<OpenDatabase> => {
  const { duckdb, role } = deps;
  if (!duckdb) throw noEngine();
  ctx.signal.throwIfAborted();
  const { file, name, exists } = await placeOf(config.path, deps);
  const patienceMs = Math.min(config.lockTimeoutSeconds ?? 60, patience) * 1000;
  const scratch = await duckdb.scratch();
  let isThere = exists;

  const attempt: Database['attempt'] = async (access, statements) => {
    if (!isThere && access === 'read') {
      throw connectFailure('database_missing', { role, where: config.path });
    }
    const program = { file, name, access, directory: scratch.path, statements };
    const answer = await untilFree(() => duckdb.run(program, ctx.signal), patienceMs, ctx);
    isThere ||= access === 'write';
    return answer;
  };

  return {
    name,
    exists,
    directory: scratch.path,
    attempt,
    run: async (access, statements) => {
      const answer = await attempt(access, statements);
      if ('problem' in answer) throw classify(answer.problem, role, config.path);
      return answer.results;
    },
    close: () => scratch.remove(),
  };
};

export const inDatabase = async <T>(
  config: DuckdbConfig,
  deps: OpenDeps,
  ctx: CallContext,
  work: (database: Database) => Promise<T>,
  patience?: number,
): Promise<T> => {
  const database = await openDatabase(config, deps, ctx, patience);
  try {
    return await work(database);
  } catch (error) {
    ctx.signal.throwIfAborted();
    throw error;
  } finally {
    await database.close();
  }
};
