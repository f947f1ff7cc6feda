import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { StartError } from '../../servers/errors.mjs';
import { portInUse } from '../../servers/ports.mjs';

export const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url));

/**
 * @typedef {object} Settings
 * @property {string} dataDirectory
 * @property {{host: string, port: number}} http
 * @property {number | null} postgresPort null: DATABASE_URL names a server
 * @property {{port: number, uiPort: number} | null} temporalPorts null: TEMPORAL_ADDRESS names one
 * @property {string} namespace
 * @property {string} basePrefix
 * @property {boolean} demo
 */

/**
 * @param {NodeJS.ProcessEnv} env
 * @returns {Settings}
 */
export function readSettings(env) {
  const given = env['FLX_DATA_DIR'];
  return {
    dataDirectory: given ? path.resolve(given) : path.join(REPOSITORY, '.fluxline'),
    http: { host: env['FLX_HTTP_HOST'] || '127.0.0.1', port: readPort(env, 'FLX_HTTP_PORT', 8080) },
    postgresPort: env['DATABASE_URL'] ? null : readPort(env, 'FLX_POSTGRES_PORT', 5433),
    temporalPorts: env['TEMPORAL_ADDRESS']
      ? null
      : {
          port: readPort(env, 'FLX_TEMPORAL_PORT', 7233),
          uiPort: readPort(env, 'FLX_TEMPORAL_UI_PORT', 8233),
        },
    namespace: env['TEMPORAL_NAMESPACE'] || 'default',
    basePrefix: env['FLX_BASE_PREFIX'] ?? '',
    demo: env['FLX_DEMO'] !== '0',
  };
}

/**
 * @param {NodeJS.ProcessEnv} env
 * @param {string} variable
 * @param {number} standard
 */
function readPort(env, variable, standard) {
  const text = env[variable];
  if (!text) return standard;
  const port = Number(text);
  if (Number.isInteger(port) && port > 0 && port < 65536) return port;
  throw new StartError(`${variable} is "${text}"; set it to a port number (1 to 65535).`);
}

/**
 * Asked for all ports before anything starts.
 * @param {Settings} settings
 */
export async function checkPorts({ http, postgresPort, temporalPorts }) {
  const local = '127.0.0.1';
  const wanted = [
    { variable: 'FLX_HTTP_PORT', what: 'the API', ...http },
    { variable: 'FLX_POSTGRES_PORT', what: 'PostgreSQL', host: local, port: postgresPort },
    { variable: 'FLX_TEMPORAL_PORT', what: 'Temporal', host: local, port: temporalPorts?.port },
    {
      variable: 'FLX_TEMPORAL_UI_PORT',
      what: "Temporal's Web UI",
      host: local,
      port: temporalPorts?.uiPort,
    },
  ];
  /** @type {Map<number, string>} */
  const takenBy = new Map();
  for (const { variable, what, host, port } of wanted) {
    if (!port) continue;
    const other = takenBy.get(port);
    if (other) throw new StartError(`${other} and ${variable} are both ${port}; change one.`);
    takenBy.set(port, variable);
    if (await portInUse(port, host)) {
      throw new StartError(`Port ${port} for ${what} is in use; set ${variable} to a free one.`);
    }
  }
}

/**
 * The address at which this machine reaches the API.
 * @param {Settings['http']} http
 */
export function localUrl({ host, port }) {
  const reachable = { '0.0.0.0': '127.0.0.1', '::': '[::1]' }[host] ?? host;
  const needsBrackets = reachable.includes(':') && !reachable.startsWith('[');
  return `http://${needsBrackets ? `[${reachable}]` : reachable}:${port}`;
}
