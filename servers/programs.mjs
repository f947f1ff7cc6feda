/**
 * Finds a program, or gets it: a variable, PATH, the user's cache directory, keyed by version, or an
 * install step that puts it there.
 */
import { accessSync, constants } from 'node:fs';
import path from 'node:path';
import { StartError } from './errors.mjs';
import { cacheDirectory, installInto, placesOnPath } from './install.mjs';

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
  const onPath = placesOnPath(name, env).find(runs);
  if (onPath) return told(title, onPath, 'from PATH', say);
  const directory = cacheDirectory(`${name}-${version}`, env);
  const cached = path.join(directory, inside);
  if (runs(cached)) return told(title, cached, 'from the cache', say);
  say(`${title}: installing it once with \`${line}\` (minutes)`);
  const [command = '', ...args] = line.split(' ');
  const reason = await installInto(
    directory,
    async (draft, run) => {
      await run(command, args, { GOBIN: draft });
      return draft;
    },
    env,
    signal,
  );
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
