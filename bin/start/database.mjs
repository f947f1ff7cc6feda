/**
 * The role and the database of our metadata on the embedded server, and its migrations.
 */
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { StartError } from '../../servers/errors.mjs';
import { keptSecret } from '../../servers/private-files.mjs';
import { runCommand } from './commands.mjs';

const NAME = 'fluxline';
const MIGRATE_TIMEOUT_MS = 15 * 60_000;

/**
 * @param {{adminUrl: string, passwordFile: string}} options
 * @returns {Promise<string>} DATABASE_URL
 */
export async function ensureDatabase({ adminUrl, passwordFile }) {
  const { default: pg } = await import('pg');
  const password = keptSecret(passwordFile, () => randomBytes(24).toString('hex'));
  const client = new pg.Client({
    connectionString: adminUrl,
    connectionTimeoutMillis: 15_000,
    query_timeout: 60_000,
  });
  client.on('error', () => {}); // a lost connection fails the query as well
  await client.connect();
  try {
    const role = await client.query('SELECT 1 FROM pg_roles WHERE rolname = $1', [NAME]);
    const verb = role.rowCount === 0 ? 'CREATE' : 'ALTER';
    // The password is hexadecimal, and CREATE ROLE takes no parameters.
    await client.query(`${verb} ROLE ${NAME} LOGIN NOSUPERUSER PASSWORD '${password}'`);
    const database = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [NAME]);
    if (database.rowCount === 0) await client.query(`CREATE DATABASE ${NAME} OWNER ${NAME}`);
    await client.query(`REVOKE ALL ON DATABASE ${NAME} FROM PUBLIC`);
  } finally {
    await client.end();
  }
  const url = new URL(adminUrl);
  return `postgres://${NAME}:${password}@${url.host}/${NAME}`;
}

/**
 * @param {{root: string, env: NodeJS.ProcessEnv, signal: AbortSignal}} options
 * @returns {Promise<{bootstrapped: boolean, apiKey?: string}>}
 */
export async function migrate({ root, env, signal }) {
  // Without a log file: it prints the API key.
  const output = await runCommand(
    process.execPath,
    [path.join(root, 'dist', 'bin', 'migrate.js')],
    {
      cwd: root,
      env,
      signal,
      timeoutMs: MIGRATE_TIMEOUT_MS,
      what: 'Migrating the database',
    },
  );
  const last = output.trim().split('\n').at(-1) ?? '';
  try {
    const outcome = /** @type {{bootstrapped?: unknown, apiKey?: string}} */ (JSON.parse(last));
    if (typeof outcome.bootstrapped === 'boolean') {
      return { ...outcome, bootstrapped: outcome.bootstrapped };
    }
  } catch {
    // not JSON: the same complaint
  }
  throw new StartError(
    `Migrating the database ended with an unexpected line: ${last.slice(0, 200)}`,
  );
}
