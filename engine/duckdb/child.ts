/**
 * The process in which DuckDB runs the pool's programs, each on an instance of its own. It is run
 * by itself and imports nothing of ours but its own parts; when the pool goes away, it does, too.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import type { DuckDBConnection } from '@duckdb/node-api';
import { engineErrorOf } from './engineError.js';
import type { AttachedDatabase, DuckResult } from './program.js';
import { prepare, runPrepared } from './results.js';
import { detaching, settingsOf } from './settings.js';
import type { ChildReply, ChildRequest, EngineError } from './wire.js';

const watchMs = 25;
/** Results go through a pipe and both processes' memory: what is meant for people, not for files. */
const mostResultBytes = 32 * 1024 * 1024;
/** A process that did not give memory back after a program makes room for a fresh one. */
const wornShare = 0.5;

/** At once, whatever DuckDB's threads are doing; a normal exit would wait for them. */
const end = (): void => {
  process.kill(process.pid, 'SIGKILL');
};

const say = (reply: ChildReply): void => {
  process.send?.(reply);
};

/** Memory is only looked at now and then, so the last words must be out before the end. */
const watchMemory = (processBytes: number): NodeJS.Timeout =>
  setInterval(() => {
    if (process.memoryUsage.rss() <= processBytes) return;
    process.send?.({ kind: 'memory' } satisfies ChildReply, end);
  }, watchMs);

type Outcome = ({ results: readonly DuckResult[] } | { error: EngineError }) & {
  /** The file that was attached may still be locked by this process. */
  holds?: boolean;
};

/** Whether the file could be given back. What was not committed is gone with it. */
const giveBack = async (
  connection: DuckDBConnection,
  database: AttachedDatabase,
): Promise<boolean> => {
  // There may be no transaction.
  await connection.run('ROLLBACK').catch(() => undefined);
  try {
    for (const statement of detaching(database)) await connection.run(statement);
    return true;
  } catch {
    return false;
  }
};

const runAll = async (
  connection: DuckDBConnection,
  { program, memoryBytes, maxRows }: ChildRequest,
): Promise<Outcome> => {
  const results: DuckResult[] = [];
  let statement = -1;
  let preparing = true;
  try {
    for (const setting of settingsOf(program, memoryBytes)) await connection.run(setting);
    for (const each of program.statements) {
      statement += 1;
      preparing = true;
      const prepared = await prepare(connection, each);
      preparing = false;
      results.push(await runPrepared(prepared, maxRows));
      prepared.destroySync();
    }
    return { results };
  } catch (error) {
    return { error: engineErrorOf(error, statement, preparing) };
  }
};

const runProgram = async (request: ChildRequest): Promise<Outcome> => {
  await mkdir(path.join(request.program.directory, 'tmp'), { recursive: true });
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
  try {
    const connection = await instance.connect();
    try {
      const outcome = await runAll(connection, request);
      const { database } = request.program;
      const holds = database !== undefined && !(await giveBack(connection, database));
      return { ...outcome, holds };
    } finally {
      connection.closeSync();
    }
  } finally {
    instance.closeSync();
  }
};

const answer = async (request: ChildRequest): Promise<void> => {
  const watch = watchMemory(request.processBytes);
  const outcome = await runProgram(request).catch((error: unknown): Outcome => ({
    error: engineErrorOf(error, -1, false),
  }));
  clearInterval(watch);
  const worn =
    outcome.holds === true || process.memoryUsage.rss() > request.processBytes * wornShare;
  if ('error' in outcome) say({ kind: 'failed', error: outcome.error, worn });
  else if (Buffer.byteLength(JSON.stringify(outcome.results)) > mostResultBytes)
    say({ kind: 'results-too-large' });
  else say({ kind: 'done', results: outcome.results, worn });
};

process.on('disconnect', end);
process.on('message', (request) => void answer(request as ChildRequest));
// Where the system runs out of memory all the same, it is to take this process, not the worker.
void writeFile('/proc/self/oom_score_adj', '1000').catch(() => undefined);
