/** Programs that serve HTTP on a port of 127.0.0.1: started, awaited, stopped. */
import { mkdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { StartError } from './errors.mjs';
import { freePort, portInUse } from './ports.mjs';
import { spawnLogged, stopProcess } from './processes.mjs';
import { waitUntil } from './waiting.mjs';

/**
 * @typedef {object} WebServerOptions
 * @property {string} directory its files; made if it is missing
 * @property {string} [logFile]
 * @property {number} [port] 0 or absent: any free one
 * @property {(line: string) => void} [say]
 * @property {AbortSignal} [signal] gives up starting
 * @property {(spawned: import('./processes.mjs').ProcessRef) => void} [onSpawn] before it is ready
 *
 * @typedef {import('./processes.mjs').Spawned & {
 *   url: string, port: number, directory: string, stop: () => Promise<void>,
 * }} RunningWebServer
 *
 * @typedef {object} WebProgram
 * @property {string} title for people
 * @property {string} command
 * @property {(port: number, directory: string) => string[]} args
 * @property {string} ready a path that answers, whatever its status, once the server works
 * @property {NodeJS.ProcessEnv} [env]
 */

const START_TIMEOUT_MS = 60_000;

/** @type {import('./processes.mjs').StopStep[]} */
const STOP_STEPS = [
  { signal: 'SIGTERM', waitMs: 5_000 },
  { signal: 'SIGKILL', waitMs: 5_000 },
];

/**
 * @param {WebProgram} program
 * @param {WebServerOptions} options
 * @returns {Promise<RunningWebServer>}
 */
export async function startWebServer({ title, command, args, ready, env }, options) {
  const { signal } = options;
  const directory = path.resolve(options.directory);
  const logFile = options.logFile ?? path.join(directory, 'server.log');
  const files = path.join(directory, 'files');
  mkdirSync(files, { recursive: true });
  mkdirSync(path.dirname(logFile), { recursive: true });
  if (options.port && (await portInUse(options.port))) {
    throw new StartError(`Port ${options.port} is in use; choose another for ${title}.`);
  }
  const port = options.port || (await freePort());
  const url = `http://127.0.0.1:${port}`;
  const logStart = statSync(logFile, { throwIfNoEntry: false })?.size ?? 0;
  const spawned = await spawnLogged(command, args(port, files), { logFile, ...(env && { env }) });
  options.onSpawn?.(spawned);
  try {
    await waitUntil(async () => spawned.hasExited() || answers(`${url}${ready}`), {
      what: `Starting ${title}`,
      timeoutMs: START_TIMEOUT_MS,
      signal,
    });
  } catch (error) {
    await stopProcess(spawned, STOP_STEPS);
    throw error;
  }
  if (spawned.hasExited()) {
    const log = readFileSync(logFile).subarray(logStart).toString('utf8');
    const line = log.trim().split('\n').at(-1) || 'it ended without a word';
    throw new StartError(`${title} did not start: ${line}. See ${logFile}.`);
  }
  const stop = async () => {
    await stopProcess(spawned, STOP_STEPS);
  };
  return { ...spawned, url, port, directory: files, stop };
}

/** @param {string} url */
async function answers(url) {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(5_000) });
    await answer.arrayBuffer();
    return answer.status < 500;
  } catch {
    return false; // not yet
  }
}
