/**
 * Processes across restarts of their parent. A process id alone proves nothing: it may have been
 * given to somebody else since. A process is known by its id and its identity (boot and start time).
 */
import { execFileSync, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { hasCode, StartError } from './errors.mjs';
import { readIfThere, writeWhole } from './private-files.mjs';
import { waitUntil } from './waiting.mjs';

/**
 * @typedef {{pid: number, identity: string}} ProcessRef
 * @typedef {{code: number | null, signal: NodeJS.Signals | null}} Exit
 * @typedef {ProcessRef & {exited: Promise<Exit>, hasExited: () => boolean}} Spawned
 * @typedef {{signal: NodeJS.Signals, waitMs: number}} StopStep
 */

/**
 * @param {number} pid
 * @returns {string | null} null when no such process runs (a zombie has ended, too)
 */
export function processIdentity(pid) {
  return process.platform === 'linux' ? identityFromProc(pid) : identityFromPs(pid);
}

/** @param {number} pid */
function identityFromProc(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The command name, in parentheses, may contain anything; the fields after it are plain.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z' || fields[0] === 'X') return null;
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${boot}:${fields[19] ?? ''}`;
  } catch (error) {
    if (hasCode(error, 'ENOENT') || hasCode(error, 'ESRCH')) return null;
    throw error;
  }
}

/** @param {number} pid */
function identityFromPs(pid) {
  try {
    const line = execFileSync('ps', ['-o', 'state=,lstart=', '-p', String(pid)], {
      encoding: 'utf8',
      env: { ...process.env, LC_ALL: 'C', TZ: 'UTC' },
      timeout: 10_000,
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
    const [state = '', ...started] = line.split(/\s+/);
    return line === '' || state.startsWith('Z') ? null : started.join(' ');
  } catch {
    return null; // ps exits with 1 when there is no such process
  }
}

/** @param {ProcessRef} ref */
export const isRunning = (ref) => processIdentity(ref.pid) === ref.identity;

/** @returns {ProcessRef} */
export function thisProcess() {
  return { pid: process.pid, identity: processIdentity(process.pid) ?? '' };
}

/**
 * Starts a process in a group of its own (Ctrl-C in the terminal does not reach it: its parent
 * decides the order of stopping), with its output appended to a file.
 * @param {string} command
 * @param {string[]} args
 * @param {{logFile: string, env?: NodeJS.ProcessEnv, cwd?: string,
 *   account?: {uid: number, gid: number} | null}} options
 * @returns {Promise<Spawned>}
 */
export async function spawnLogged(command, args, { logFile, env, cwd, account }) {
  const log = openSync(logFile, 'a', 0o640);
  try {
    const child = spawn(command, args, {
      stdio: ['ignore', log, log],
      detached: true,
      ...(env && { env }),
      ...(cwd !== undefined && { cwd }),
      ...(account && { uid: account.uid, gid: account.gid }),
    });
    let ended = false;
    /** @type {Promise<Exit>} */
    const exited = new Promise((resolve) => {
      child.once('exit', (code, signal) => {
        ended = true;
        resolve({ code, signal });
      });
    });
    await new Promise((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', (error) =>
        reject(new StartError(`${command} cannot be run: ${error.message}.`, { cause: error })),
      );
    });
    const pid = /** @type {number} */ (child.pid);
    const identity = processIdentity(pid) ?? 'ended at once';
    return { pid, identity, exited, hasExited: () => ended };
  } finally {
    closeSync(log);
  }
}

/**
 * Sends each signal in turn until the process is gone. SIGKILL goes to its whole group.
 * @param {ProcessRef} ref
 * @param {StopStep[]} steps
 * @returns {Promise<NodeJS.Signals | null>} the signal that ended it; null when it had ended before
 */
export async function stopProcess(ref, steps) {
  for (const { signal, waitMs } of steps) {
    if (!isRunning(ref)) return null;
    sendSignal(ref.pid, signal);
    const gone = await waitUntil(() => !isRunning(ref), {
      what: `Stopping process ${ref.pid}`,
      timeoutMs: waitMs,
    }).catch(() => false);
    if (gone) return signal;
  }
  if (!isRunning(ref)) return null;
  throw new StartError(`Process ${ref.pid} does not stop; end it by hand.`);
}

/**
 * @param {number} pid
 * @param {NodeJS.Signals} signal
 */
function sendSignal(pid, signal) {
  for (const target of signal === 'SIGKILL' ? [-pid, pid] : [pid]) {
    try {
      process.kill(target, signal);
    } catch (error) {
      if (hasCode(error, 'ESRCH')) continue; // gone, or not the leader of a group
      if (hasCode(error, 'EPERM')) {
        throw new StartError(`Process ${pid} belongs to another user; stop it as that user.`);
      }
      throw error;
    }
  }
}

/**
 * `<name>.pid` holds the number alone, for people and scripts; the identity lies beside it.
 * @param {string} directory
 * @param {string} name
 */
const pidFiles = (directory, name) => ({
  pid: path.join(directory, `${name}.pid`),
  identity: path.join(directory, `${name}.identity`),
});

/**
 * @param {string} directory
 * @param {string} name
 * @param {ProcessRef} ref
 */
export function writePidFile(directory, name, ref) {
  const files = pidFiles(directory, name);
  writeWhole(files.identity, `${ref.identity}\n`);
  writeWhole(files.pid, `${ref.pid}\n`);
}

/**
 * @param {string} directory
 * @param {string} name
 * @returns {ProcessRef | null}
 */
export function readPidFile(directory, name) {
  const files = pidFiles(directory, name);
  const pid = Number(readIfThere(files.pid));
  const identity = readIfThere(files.identity)?.trim();
  return Number.isInteger(pid) && pid > 0 && identity ? { pid, identity } : null;
}

/**
 * @param {string} directory
 * @param {string} name
 */
export function removePidFile(directory, name) {
  for (const file of Object.values(pidFiles(directory, name))) rmSync(file, { force: true });
}
