/** Getting what is not there yet into the user's cache, whole or not at all. */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const STEP_TIMEOUT_MS = 30 * 60_000;

/**
 * @typedef {(command: string, args: string[], env?: NodeJS.ProcessEnv) => Promise<void>} RunStep
 */

/**
 * @param {string} name with the version in it
 * @param {NodeJS.ProcessEnv} env
 */
export function cacheDirectory(name, env) {
  const base = env['XDG_CACHE_HOME'] || path.join(env['HOME'] || os.homedir(), '.cache');
  return path.join(base, 'fluxline', name);
}

/**
 * Where a file of this name would be on PATH.
 * @param {string} name
 * @param {NodeJS.ProcessEnv} env
 */
export function placesOnPath(name, env) {
  return (env['PATH'] ?? '')
    .split(path.delimiter)
    .filter((directory) => path.isAbsolute(directory))
    .map((directory) => path.join(directory, name));
}

/**
 * Runs steps in a draft, of which the directory gets its name when they have succeeded: neither a
 * kill nor a second start at the same time leaves half of a program.
 * @param {string} directory
 * @param {(draft: string, run: RunStep) => Promise<string>} steps come to what is to be kept of the draft
 * @param {NodeJS.ProcessEnv} env
 * @param {AbortSignal | undefined} signal
 * @returns {Promise<string | null>} why it did not work; null when it did
 */
export async function installInto(directory, steps, env, signal) {
  mkdirSync(path.dirname(directory), { recursive: true });
  const draft = mkdtempSync(`${directory}-draft-`);
  try {
    const whole = await steps(draft, (command, args, more = {}) =>
      runStep(command, args, { cwd: draft, env: { ...env, ...more }, signal }),
    );
    // Somebody else may have been as quick.
    if (!existsSync(directory)) renameSync(whole, directory);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/**
 * @param {string} command
 * @param {string[]} args
 * @param {{cwd: string, env: NodeJS.ProcessEnv, signal: AbortSignal | undefined}} options
 * @returns {Promise<void>}
 */
function runStep(command, args, { cwd, env, signal }) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: STEP_TIMEOUT_MS,
      ...(signal && { signal }),
    });
    let complaint = '';
    // Maven complains on its standard output.
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => (complaint = `${complaint}${String(chunk)}`.slice(-2000)));
    }
    child.once('error', reject);
    child.once('close', (code) => {
      const line = complaint.trim().split('\n').at(-1) ?? '';
      if (code === 0) resolve();
      else reject(new Error(line || `${command} ended with ${code ?? 'a signal'}`));
    });
  });
}
