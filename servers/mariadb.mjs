/**
 * A MariaDB server of one's own on 127.0.0.1, with a data directory of its own. Its user `fluxline` may do
 * everything in every database, and comes in with the password that is given or made.
 */
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { StartError } from './errors.mjs';
import { findMariadb } from './mariadb/binary.mjs';
import { freePort, portInUse } from './ports.mjs';
import { spawnLogged, stopProcess } from './processes.mjs';
import { waitUntil } from './waiting.mjs';

/**
 * @typedef {object} MariadbOptions
 * @property {string} directory data and socket; made if it is missing
 * @property {string} [logFile]
 * @property {number} [port] 0 or absent: any free one
 * @property {string} [password]
 * @property {Record<string, string>} [settings] of the server, such as ssl_cert
 * @property {(line: string) => void} [say]
 * @property {AbortSignal} [signal] gives up starting
 * @property {(spawned: import('./processes.mjs').ProcessRef) => void} [onSpawn] before it is ready
 *
 * @typedef {import('./processes.mjs').Spawned & {
 *   host: string, port: number, user: string, password: string, stop: () => Promise<void>,
 * }} RunningMariadb
 */

const USER = 'fluxline';
const START_TIMEOUT_MS = 60_000;
const INSTALL_TIMEOUT_MS = 120_000;

/** @type {import('./processes.mjs').StopStep[]} */
const STOP_STEPS = [
  { signal: 'SIGTERM', waitMs: 15_000 },
  { signal: 'SIGKILL', waitMs: 5_000 },
];

/** Nothing here is kept: it need not survive the machine. */
const SETTINGS = {
  innodb_flush_log_at_trx_commit: '0',
  innodb_buffer_pool_size: '256M',
  innodb_log_file_size: '256M',
  max_allowed_packet: '128M',
  skip_name_resolve: 'ON',
};

/**
 * @param {MariadbOptions} options
 * @returns {Promise<RunningMariadb>}
 */
export async function startMariadb(options) {
  const { say, signal } = options;
  const program = await findMariadb({ ...(say && { say }), ...(signal && { signal }) });
  const directory = path.resolve(options.directory);
  const logFile = options.logFile ?? path.join(directory, 'mariadb.log');
  mkdirSync(directory, { recursive: true });
  mkdirSync(path.dirname(logFile), { recursive: true });
  if (options.port && (await portInUse(options.port))) {
    throw new StartError(`Port ${options.port} is in use; choose another for MariaDB.`);
  }
  const port = options.port || (await freePort());
  const password = options.password ?? randomBytes(12).toString('hex');
  const data = path.join(directory, 'data');
  install(program, data, logFile);
  signal?.throwIfAborted();
  const spawned = await launch(program, { ...options, directory, logFile, data }, port, password);
  const stop = async () => {
    await stopProcess(spawned, STOP_STEPS);
  };
  return { ...spawned, host: '127.0.0.1', port, user: USER, password, stop };
}

/** Without it the server refuses to run as root; here it is nobody's but ours. */
const asWhom = () => `--user=${os.userInfo().username}`;

const SYSTEM_TABLES = [
  'mysql_system_tables.sql',
  'mysql_performance_tables.sql',
  'mysql_system_tables_data.sql',
  'maria_add_gis_sp_bootstrap.sql',
  'mysql_sys_schema.sql',
];

/**
 * What mariadb-install-db does, which needs a program of another package for it.
 * @param {import('./mariadb/binary.mjs').MariadbProgram} program
 * @param {string} data
 * @param {string} logFile
 */
function install({ server, base, share, env }, data, logFile) {
  if (existsSync(path.join(data, 'mysql'))) return;
  mkdirSync(data, { recursive: true });
  const statements = [
    "create database mysql;\nuse mysql;\nset @auth_root_socket=NULL;\nset @current_hostname='localhost';\n",
    ...SYSTEM_TABLES.map((file) => readFileSync(path.join(share, file), 'utf8')),
  ];
  const args = ['--no-defaults', '--bootstrap', `--basedir=${base}`, `--datadir=${data}`, asWhom()];
  const { status, stderr } = spawnSync(server, [...args, '--silent-startup', '--log-warnings=0'], {
    env,
    input: statements.join(''),
    encoding: 'utf8',
    timeout: INSTALL_TIMEOUT_MS,
  });
  if (status === 0) return;
  rmSync(data, { recursive: true, force: true });
  writeFileSync(logFile, stderr, { flag: 'a' });
  const line = stderr.trim().split('\n').at(-1) || 'it ended without a word';
  throw new StartError(`MariaDB's data directory could not be made: ${line}. See ${logFile}.`);
}

/**
 * @param {import('./mariadb/binary.mjs').MariadbProgram} program
 * @param {MariadbOptions & {logFile: string, data: string}} options
 * @param {number} port
 * @param {string} password
 */
async function launch({ server, base, env }, options, port, password) {
  const { directory, logFile, data, signal } = options;
  const start = path.join(directory, 'start.sql');
  // Every start, so that the password is the one that was asked for.
  writeFileSync(
    start,
    `CREATE USER IF NOT EXISTS '${USER}'@'%';\n` +
      `ALTER USER '${USER}'@'%' IDENTIFIED BY '${password.replace(/['\\]/g, '\\$&')}';\n` +
      `GRANT ALL PRIVILEGES ON *.* TO '${USER}'@'%' WITH GRANT OPTION;\n` +
      `DROP USER IF EXISTS root@localhost;\n`,
    { mode: 0o600 },
  );
  const settings = { ...SETTINGS, ...options.settings };
  const args = ['--no-defaults', `--basedir=${base}`, `--datadir=${data}`, asWhom()];
  args.push(`--port=${port}`, '--bind-address=127.0.0.1', `--init-file=${start}`);
  args.push(`--socket=${path.join(directory, 'socket')}`, `--tmpdir=${directory}`);
  args.push(`--pid-file=${path.join(directory, 'pid')}`);
  args.push(...Object.entries(settings).map(([name, value]) => `--${name}=${value}`));
  const spawned = await spawnLogged(server, args, { logFile, env });
  options.onSpawn?.(spawned);
  try {
    await waitUntil(async () => spawned.hasExited() || greets(port), {
      what: 'Starting MariaDB',
      timeoutMs: START_TIMEOUT_MS,
      signal,
    });
  } catch (error) {
    await stopProcess(spawned, STOP_STEPS);
    throw error;
  }
  if (!spawned.hasExited()) return spawned;
  const line = readFileSync(logFile, 'utf8').trim().split('\n').at(-1) || 'it ended without a word';
  throw new StartError(`MariaDB did not start: ${line}. See ${logFile}.`);
}

/**
 * The server speaks first; it listens a while before it does.
 * @param {number} port
 * @returns {Promise<boolean>}
 */
const greets = (port) =>
  new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port, timeout: START_TIMEOUT_MS });
    /** @param {boolean} answer */
    const settle = (answer) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('data', () => settle(true));
    for (const event of ['error', 'close', 'timeout']) socket.once(event, () => settle(false));
  });
