/**
 * Finds MariaDB's server, or gets it: MARIADBD, PATH, the user's cache, Debian's package unpacked
 * into that cache (nothing is set up on the machine).
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { StartError } from '../errors.mjs';
import { cacheDirectory, installInto, placesOnPath } from '../install.mjs';

const PACKAGES = ['mariadb-server-core', 'libaio1', 'liburing2'];

/**
 * @typedef {object} MariadbProgram
 * @property {string} server
 * @property {string} base what it is installed under
 * @property {string} share where the statements are that make a data directory
 * @property {NodeJS.ProcessEnv} env to run it with
 *
 * @typedef {object} FindOptions
 * @property {NodeJS.ProcessEnv} [env]
 * @property {(line: string) => void} [say]
 * @property {AbortSignal} [signal]
 */

/**
 * @param {FindOptions} [options]
 * @returns {Promise<MariadbProgram>}
 */
export async function findMariadb({ env = process.env, say = () => {}, signal } = {}) {
  const given = env['MARIADBD'];
  if (given) {
    const program = around(given, env);
    if (program) return told(program, 'from MARIADBD', say);
    throw new StartError(`MARIADBD (${given}) is not a MariaDB server; correct its path.`);
  }
  const onPath = placesOnPath('mariadbd', env)
    // Where servers are, for users who do not have it on their PATH.
    .concat('/usr/sbin/mariadbd')
    .map((server) => around(server, env))
    .find((program) => program !== null);
  if (onPath) return told(onPath, 'from PATH', say);
  const cache = cacheDirectory('mariadb-10.11', env);
  const cached = unpacked(cache, env);
  if (cached) return told(cached, 'from the cache', say);
  say(`MariaDB: unpacking ${PACKAGES.join(', ')} into ${cache}`);
  const reason = await installInto(
    cache,
    async (draft, run) => {
      await run('apt-get', ['download', ...PACKAGES]);
      const whole = path.join(draft, 'whole');
      for (const name of readdirSync(draft).filter((file) => file.endsWith('.deb'))) {
        await run('dpkg-deb', ['-x', name, whole]);
      }
      return whole;
    },
    env,
    signal,
  );
  const made = reason === null ? unpacked(cache, env) : null;
  if (made) return told(made, 'from the cache', say);
  signal?.throwIfAborted();
  throw new StartError(
    `MariaDB was not found and could not be unpacked (${reason ?? 'what came does not run here'}): apt-get install -y mariadb-server-core, or set MARIADBD to a server's path.`,
  );
}

/**
 * @param {MariadbProgram} program
 * @param {string} from
 * @param {(line: string) => void} say
 */
function told(program, from, say) {
  say(`MariaDB: ${program.server}, ${from}`);
  return program;
}

/**
 * A server with what belongs to it, if it runs.
 * @param {string} server
 * @param {NodeJS.ProcessEnv} env
 * @returns {MariadbProgram | null}
 */
function around(server, env) {
  const base = path.dirname(path.dirname(server));
  const places = ['mysql', 'mariadb', ''].map((folder) => path.join(base, 'share', folder));
  const share = places.find((place) => existsSync(path.join(place, 'mysql_system_tables.sql')));
  if (!existsSync(server) || share === undefined) return null;
  const { status, stdout } = spawnSync(server, ['--no-defaults', '--version'], {
    env,
    encoding: 'utf8',
    timeout: 30_000,
  });
  return status === 0 && /MariaDB/.test(stdout) ? { server, base, share, env } : null;
}

/**
 * @param {string} directory
 * @param {NodeJS.ProcessEnv} env
 */
function unpacked(directory, env) {
  const lib = path.join(directory, 'usr', 'lib');
  if (!existsSync(lib)) return null;
  const folders = readdirSync(lib).filter((name) => name.includes('linux'));
  const paths = folders.flatMap((name) => [
    path.join(lib, name),
    path.join(directory, 'lib', name),
  ]);
  const libraries = [...paths, ...(env['LD_LIBRARY_PATH'] ? [env['LD_LIBRARY_PATH']] : [])];
  const server = path.join(directory, 'usr', 'sbin', 'mariadbd');
  return around(server, { ...env, LD_LIBRARY_PATH: libraries.join(path.delimiter) });
}
