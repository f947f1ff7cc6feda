/**
 * A local Temporal server on 127.0.0.1: `temporal server start-dev`, kept in one SQLite file, with
 * the flags that make it six times faster than its defaults.
 */
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { StartError } from './errors.mjs';
import { freePorts, portInUse } from './ports.mjs';
import { spawnLogged, stopProcess } from './processes.mjs';
import { findTemporal } from './temporal/binary.mjs';
import { waitUntil } from './waiting.mjs';

export { findTemporal } from './temporal/binary.mjs';

/**
 * @typedef {object} TemporalOptions
 * @property {string} logFile
 * @property {string} [dbFile] in memory unless given
 * @property {number} [port] 0 or absent: any free one
 * @property {number | null} [uiPort] null or absent: without the Web UI
 * @property {string} [namespace]
 * @property {string} [program] found unless given
 * @property {(line: string) => void} [say]
 * @property {AbortSignal} [signal] gives up starting
 * @property {(spawned: import('./processes.mjs').ProcessRef) => void} [onSpawn] before it is ready
 *
 * @typedef {import('./processes.mjs').Spawned & {
 *   address: string, port: number, namespace: string, uiUrl: string | null,
 *   stop: () => Promise<void>,
 * }} RunningTemporal
 */

const RETENTION = '7d';
const START_TIMEOUT_MS = 60_000;
const POLL_LIMITS = ['transferProcessor', 'timerProcessor', 'visibilityProcessor'].flatMap(
  (queue) => ['--dynamic-config-value', `history.${queue}MaxPollRPS=2000`],
);
const execute = promisify(execFile);

/** @type {import('./processes.mjs').StopStep[]} */
export const STOP_STEPS = [
  { signal: 'SIGTERM', waitMs: 10_000 },
  { signal: 'SIGKILL', waitMs: 5_000 },
];

/**
 * @param {TemporalOptions} options
 * @returns {Promise<RunningTemporal>}
 */
export async function startTemporal(options) {
  const { namespace = 'default', say, signal } = options;
  const program =
    options.program ?? (await findTemporal({ ...(say && { say }), ...(signal && { signal }) }));
  for (const file of [options.logFile, options.dbFile ?? options.logFile]) {
    mkdirSync(path.dirname(file), { recursive: true });
  }
  // Asked before, because afterwards somebody else's server on this port would look like ours.
  for (const port of [options.port, options.uiPort]) {
    if (port && (await portInUse(port))) throw portTaken(port);
  }
  for (let attempt = 1; ; attempt += 1) {
    const [anyPort = 0, httpPort = 0, metricsPort = 0] = await freePorts(3);
    const ports = { port: options.port || anyPort, httpPort, metricsPort };
    const outcome = await launchOnce(program, { ...options, namespace }, ports);
    if ('running' in outcome) return outcome.running;
    await refuse(options, outcome.log, attempt);
  }
}

/** @param {number} port */
const portTaken = (port) => new StartError(`Port ${port} is in use; choose another for Temporal.`);

/**
 * Free ports may be taken the next moment, which is worth another try; everything else is not.
 * @param {TemporalOptions} options
 * @param {string} log
 * @param {number} attempt
 */
async function refuse(options, log, attempt) {
  if (log.includes('address already in use')) {
    for (const port of [options.port, options.uiPort]) {
      if (port && (await portInUse(port))) throw portTaken(port);
    }
    if (attempt < 4) return;
  }
  const line = log.trim().split('\n').at(-1) || 'it ended without a word';
  throw new StartError(`Temporal did not start: ${line}. See ${options.logFile}.`);
}

/**
 * @param {string} program
 * @param {TemporalOptions & {namespace: string}} options
 * @param {{port: number, httpPort: number, metricsPort: number}} ports
 * @returns {Promise<{running: RunningTemporal} | {log: string}>}
 */
async function launchOnce(program, options, ports) {
  const { namespace, logFile, dbFile, uiPort, signal } = options;
  const logStart = statSync(logFile, { throwIfNoEntry: false })?.size ?? 0;
  const args = ['server', 'start-dev', '--ip=127.0.0.1', '--log-level=warn', ...POLL_LIMITS];
  args.push(`--port=${ports.port}`, `--http-port=${ports.httpPort}`);
  args.push(`--metrics-port=${ports.metricsPort}`, `--namespace=${namespace}`);
  args.push(...(uiPort ? [`--ui-port=${uiPort}`] : ['--headless']));
  if (dbFile !== undefined) {
    args.push(`--db-filename=${dbFile}`);
    args.push('--sqlite-pragma=journal_mode=wal', '--sqlite-pragma=synchronous=normal');
  }
  const address = `127.0.0.1:${ports.port}`;
  const spawned = await spawnLogged(program, args, { logFile, env: ownEnv() });
  options.onSpawn?.(spawned);
  try {
    await waitUntil(async () => spawned.hasExited() || isReady(program, address, namespace), {
      what: 'Starting Temporal',
      timeoutMs: START_TIMEOUT_MS,
      signal,
    });
  } catch (error) {
    await stopProcess(spawned, STOP_STEPS);
    throw error;
  }
  if (spawned.hasExited()) {
    return { log: readFileSync(logFile).subarray(logStart).toString('utf8') };
  }
  const uiUrl = uiPort ? `http://127.0.0.1:${uiPort}/namespaces/${namespace}` : null;
  const stop = async () => {
    await stopProcess(spawned, STOP_STEPS);
  };
  return { running: { ...spawned, address, port: ports.port, namespace, uiUrl, stop } };
}

/**
 * Serving, and the namespace is there: start-dev makes it a moment later, with a day of retention.
 * @param {string} program
 * @param {string} address
 * @param {string} namespace
 */
async function isReady(program, address, namespace) {
  const settings = { timeout: 15_000, env: ownEnv() };
  const target = ['--address', address, '--command-timeout', '10s'];
  try {
    await execute(program, ['operator', 'cluster', 'health', ...target], settings);
    const keep = ['--namespace', namespace, '--retention', RETENTION];
    await execute(program, ['operator', 'namespace', 'update', ...keep, ...target], settings);
    return true;
  } catch {
    return false; // not yet
  }
}

/** Our own: TEMPORAL_* of the user (address, TLS, API key) are meant for another server. */
function ownEnv() {
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !name.startsWith('TEMPORAL_')),
  );
}
