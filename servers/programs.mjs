/**
 * Finds a program, or gets it: a variable, PATH, the user's cache directory, keyed by version, or an
 * install step that puts it there.
 */
import { spawn } from 'node:child_process';
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { StartError } from './errors.mjs';

const INSTALL_TIMEOUT_MS = 30 * 60_000;

/**
 * @typedef {object} FindOptions
 * @property {NodeJS.ProcessEnv} [env]
 * @property {(line: string) => void} [say]
 * @property {AbortSignal} [signal]
 *
 * @typedef {object} Program
 * @property {string} title for people
 * @property {string} name of the file on PATH
 * @property {string} variable that names its path
 * @property {string} version its directory in the cache is called `<name>-<version>`
 * @property {string} inside its path below that directory
 * @property {string} line installs it, below the directory it is run in
 */

/**
 * @param {Program} program
 * @param {FindOptions} [options]
 * @returns {Promise<string>} its path
 */
export async function findProgram(program, { env = process.env, say = () => {}, signal } = {}) {
  const { title, name, variable, version, inside, line } = program;
  const given = env[variable];
  if (given) {
    if (runs(given)) return told(title, given, `from ${variable}`, say);
    throw new StartError(`${variable} (${given}) is no program that can be run; correct its path.`);
  }
  const onPath = (env['PATH'] ?? '')
    .split(path.delimiter)
    .filter((directory) => path.isAbsolute(directory))
    .map((directory) => path.join(directory, name))
    .find(runs);
  if (onPath) return told(title, onPath, 'from PATH', say);
  const base = env['XDG_CACHE_HOME'] || path.join(env['HOME'] || os.homedir(), '.cache');
  const directory = path.join(base, 'fluxline', `${name}-${version}`);
  const cached = path.join(directory, inside);
  if (runs(cached)) return told(title, cached, 'from the cache', say);
  say(`${title}: installing it once with \`${line}\` (minutes)`);
  const reason = await install(directory, line, env, signal);
  signal?.throwIfAborted();
  if (reason === null && runs(cached)) return told(title, cached, 'from the cache', say);
  throw new StartError(
    `${title} was not found and could not be installed with \`${line}\` (${reason ?? 'what came does not run'}): install it and set ${variable} to its path.`,
  );
}

/**
 * @param {string} title
 * @param {string} file
 * @param {string} from
 * @param {(line: string) => void} say
 */
function told(title, file, from, say) {
  say(`${title}: ${file}, ${from}`);
  return file;
}

/** @param {string} file */
function runs(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * In a directory of its own, which gets its name when the step has succeeded: neither a kill nor a
 * second start at the same time leaves half of a program.
 * @param {string} directory
 * @param {string} line
 * @param {NodeJS.ProcessEnv} env
 * @param {AbortSignal | undefined} signal
 * @returns {Promise<string | null>} why it did not work
 */
async function install(directory, line, env, signal) {
  mkdirSync(path.dirname(directory), { recursive: true });
  const draft = mkdtempSync(`${directory}-draft-`);
  try {
    const [command = '', ...args] = line.split(' ');
    await run(command, args, { cwd: draft, env: { ...env, GOBIN: draft }, signal });
    if (!existsSync(directory)) renameSync(draft, directory);
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
 * @param {{cwd: string, env: NodeJS.ProcessEnv, signal?: AbortSignal | undefined}} options
 * @returns {Promise<void>}
 */
function run(command, args, { cwd, env, signal }) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd,
      env,
      stdio: ['ignore', 'ignore', 'pipe'],
      timeout: INSTALL_TIMEOUT_MS,
      ...(signal && { signal }),
    });
    let complaint = '';
    child.stderr.on('data', (chunk) => (complaint = `${complaint}${String(chunk)}`.slice(-2000)));
    child.once('error', reject);
    child.once('close', (code) => {
      const last = complaint.trim().split('\n').at(-1) ?? '';
      if (code === 0) resolve();
      else reject(new Error(last || `${command} ended with ${code ?? 'a signal'}`));
    });
  });
}
