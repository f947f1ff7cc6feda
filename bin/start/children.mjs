/**
 * The four processes under supervision: how each is launched, where it logs.
 */
import path from 'node:path';
import { writePrivate } from '../../servers/private-files.mjs';
import { spawnLogged } from '../../servers/processes.mjs';
import { startPostgres } from '../../servers/postgres.mjs';
import { startTemporal } from '../../servers/temporal.mjs';
import { REPOSITORY } from './settings.mjs';
import { STOP_ORDER } from './stopping.mjs';
import { Supervised } from './supervised.mjs';

/**
 * @typedef {import('./data-directory.mjs').Paths} Paths
 * @typedef {import('./supervised.mjs').Surroundings} Surroundings
 * @typedef {import('./stopping.mjs').Name} Name
 * @typedef {import('./supervised.mjs').OnSpawn} OnSpawn
 * @typedef {import('./supervised.mjs').Spawned} Spawned
 */

/**
 * @param {Paths} paths
 * @param {Surroundings} surroundings
 */
export function makeChildren(paths, surroundings) {
  /**
   * @param {Name} name
   * @param {(seen: {logFile: string, onSpawn: OnSpawn}) => Promise<Spawned>} launch
   */
  const child = (name, launch) => {
    const logFile = path.join(paths.logs, `${name}.log`);
    const { steps } = STOP_ORDER[name];
    const definition = {
      name,
      logFile,
      steps,
      launch: (/** @type {OnSpawn} */ onSpawn) => launch({ logFile, onSpawn }),
    };
    return new Supervised(definition, surroundings);
  };
  const { say, leaving } = surroundings;
  return {
    /** @param {number} port */
    postgres: (port) =>
      child('postgres', async (seen) => {
        const server = await startPostgres({
          directory: paths.postgres,
          passwordFile: paths.postgresPassword,
          pointerFile: paths.postgresPointer,
          port,
          ...seen,
          say,
          signal: leaving,
        });
        writePrivate(paths.databaseUrl, `${server.adminUrl}\n`);
        return server;
      }),

    /** @param {{program: string, namespace: string, port: number, uiPort: number}} options */
    temporal: (options) =>
      child('temporal', (seen) =>
        startTemporal({ ...options, dbFile: paths.temporal, ...seen, say, signal: leaving }),
      ),

    /**
     * @param {'api' | 'worker'} name
     * @param {NodeJS.ProcessEnv} env
     */
    ours: (name, env) =>
      child(name, async ({ logFile, onSpawn }) => {
        const program = path.join(REPOSITORY, 'dist', 'bin', `${name}.js`);
        const args = ['--enable-source-maps', program];
        const options = { logFile, env, cwd: REPOSITORY };
        const spawned = await spawnLogged(process.execPath, args, options);
        onSpawn(spawned);
        return spawned;
      }),
  };
}
