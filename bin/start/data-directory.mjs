/**
 * The data directory: ours alone, in a layout we know, and cleared of what a killed supervisor
 * left running.
 */
import { mkdirSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { hasCode, StartError } from '../../servers/errors.mjs';
import { tryLock } from '../../servers/lock.mjs';
import { readIfThere, writeWhole } from '../../servers/private-files.mjs';
import { isRunning, readPidFile, removePidFile, stopProcess } from '../../servers/processes.mjs';
import { waitUntil } from '../../servers/waiting.mjs';
import { STOP_ORDER } from './stopping.mjs';

/**
 * @typedef {import('../../servers/lock.mjs').Lock} Lock
 * @typedef {import('../../servers/lock.mjs').Holder} Holder
 * @typedef {(line: string) => void} Say
 */

const FORMAT = 1;
const HANDOVER_MS = 90_000; // longer than the supervisor takes to stop

/** @param {string} root */
export const pathsIn = (root) => ({
  root,
  marker: path.join(root, 'fluxline.json'),
  lock: path.join(root, 'lock'),
  run: path.join(root, 'run'),
  logs: path.join(root, 'logs'),
  staging: path.join(root, 'staging'),
  postgres: path.join(root, 'postgres'),
  postgresPassword: path.join(root, 'postgres-password'),
  postgresPointer: path.join(root, 'run', 'pgdata'),
  databasePassword: path.join(root, 'database-password'),
  databaseUrl: path.join(root, 'run', 'database-url'),
  temporal: path.join(root, 'temporal.db'),
  masterKey: path.join(root, 'master-key'),
  apiKey: path.join(root, 'api-key'),
  demoMark: path.join(root, 'demo-loaded'),
});

/** @typedef {ReturnType<typeof pathsIn>} Paths */

/**
 * @param {Paths} paths
 * @param {{launcherPid: number | undefined, say: Say, signal: AbortSignal}} options
 * @returns {Promise<Lock>}
 */
export async function claimDataDirectory(paths, { launcherPid, say, signal }) {
  refuseForeign(paths);
  const lock = await lockDirectory(paths, { launcherPid, say, signal });
  try {
    checkFormat(paths);
    for (const directory of [paths.run, paths.logs, paths.staging]) {
      mkdirSync(directory, { recursive: true });
    }
    return lock;
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** @param {Paths} paths */
function refuseForeign({ root, marker }) {
  try {
    mkdirSync(root, { recursive: true });
    // A start that was killed in its first moment leaves a lock, or a draft of the mark.
    const entries = readdirSync(root).filter((name) => !/^(lock|fluxline\.json\.)/.test(name));
    if (entries.length === 0 || readIfThere(marker) !== null) return;
  } catch (error) {
    const unusable = ['EACCES', 'EEXIST', 'ENOTDIR', 'EROFS', 'EPERM'].some((code) =>
      hasCode(error, code),
    );
    if (!unusable) throw error;
    throw new StartError(
      `${root} is not a directory that can be written; set FLX_DATA_DIR to one.`,
    );
  }
  throw new StartError(
    `${root} holds other files than Fluxline's; set FLX_DATA_DIR to an empty or new directory.`,
  );
}

/** @param {Paths} paths */
function checkFormat({ root, marker }) {
  const text = readIfThere(marker);
  if (text === null) return writeWhole(marker, `${JSON.stringify({ format: FORMAT })}\n`);
  const format = readFormat(text);
  if (format === null) {
    throw new StartError(`${marker} is damaged; restore it: {"format": ${FORMAT}}.`);
  }
  if (format > FORMAT) {
    throw new StartError(
      `${root} was written by a newer Fluxline (layout ${format}, this one knows ${FORMAT}); start that version, or set FLX_DATA_DIR.`,
    );
  }
}

/** @param {string} text */
function readFormat(text) {
  try {
    const { format } = /** @type {{format?: unknown}} */ (JSON.parse(text));
    return typeof format === 'number' ? format : null;
  } catch {
    return null;
  }
}

/**
 * A supervisor on its way out (or whose npm was killed, which makes it stop) is waited for; one
 * that runs is named.
 * @param {Paths} paths
 * @param {{launcherPid: number | undefined, say: Say, signal: AbortSignal}} options
 */
async function lockDirectory({ root, lock }, { launcherPid, say, signal }) {
  let waiting = false;
  return waitUntil(
    () => {
      const attempt = tryLock(lock, { launcherPid });
      if ('lock' in attempt) return attempt.lock;
      const { heldBy } = attempt;
      if (!isLeaving(heldBy)) {
        throw new StartError(
          `${root} is in use by process ${heldBy.pid}; stop that, or set FLX_DATA_DIR to another directory.`,
        );
      }
      if (!waiting) say(`Process ${heldBy.pid} is still stopping on ${root}; waiting for it`);
      waiting = true;
      return null;
    },
    { what: `Waiting for the other process on ${root}`, timeoutMs: HANDOVER_MS, signal },
  );
}

/** @param {Holder} holder */
const isLeaving = ({ stopping, launcher }) =>
  stopping === true || (launcher !== undefined && !isRunning(launcher));

/**
 * @param {Paths} paths
 * @param {Say} say
 */
export async function stopLeftovers({ run }, say) {
  for (const [name, { leftoverSteps }] of Object.entries(STOP_ORDER)) {
    const left = readPidFile(run, name);
    if (left && isRunning(left)) {
      say(`Stopping ${name} (process ${left.pid}), left running by a killed start`);
      await stopProcess(left, leftoverSteps);
    }
    removePidFile(run, name);
  }
}
