import type { Socket } from 'node:net';
import type { Connection, QueryOptions, ResultSetHeader } from 'mysql2';
import type { CallContext, OpenDeps } from '../connector.js';
import { killSession } from './cancel.js';
import { classify } from './classify.js';
import { logIn } from './login.js';
import type { MysqlConfig } from './manifest.js';
import { quoteText } from './quote.js';

/** Every value as the server writes it, or null. */
export type Row = Readonly<Record<string, string | null>>;

export interface Session {
  connection: Connection;
  /** For statements that answer rows. */
  rows(sql: string, values?: readonly unknown[]): Promise<readonly Row[]>;
  /** For all others. */
  run(sql: string | QueryOptions, values?: readonly unknown[]): Promise<ResultSetHeader>;
  /** Drops the line at once and ends whatever runs on it; the server rolls back. */
  cut: () => void;
  /** After a cut: until the server has ended it. */
  close: () => Promise<void>;
}

/**
 * What holds for both ends: one way to write values, our own limits in place of the server's. The
 * server must wait for us longer than its minute where the other end is slow, and not a day for a
 * lock on a table.
 */
const settings = [
  `time_zone = '+00:00'`,
  'net_write_timeout = 3600',
  'net_read_timeout = 3600',
  'wait_timeout = 300',
  'lock_wait_timeout = 60',
  'innodb_lock_wait_timeout = 60',
  'autocommit = 1',
  "character_set_results = 'utf8mb4'",
].join(', ');

/** A time limit of the server's own would cut an export short. */
const unlimited = '/*M!, max_statement_time = 0 */ /*!80000 , max_execution_time = 0 */';

/**
 * Where we write, nothing may be cut or rounded to fit without saying so. A date of zeros is a
 * value like any other here: whoever copies one gets it.
 */
const modes = {
  source: 'NO_ENGINE_SUBSTITUTION',
  destination:
    'STRICT_ALL_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION,NO_AUTO_VALUE_ON_ZERO',
} as const;

const settingsSql = (config: MysqlConfig, role: OpenDeps['role']): string => {
  const own = Object.entries(config.options ?? {}).map(
    ([name, value]) => `${name} = ${/^-?\d+$/.test(value) ? value : quoteText(value)}, `,
  );
  const mode = `sql_mode = '${modes[role]}'`;
  return `set session ${own.join('')}${settings}, ${mode} ${unlimited}`;
};

const query = <T>(
  connection: Connection,
  options: string | QueryOptions,
  values: readonly unknown[] = [],
): Promise<T> =>
  new Promise((resolve, reject) => {
    const given = typeof options === 'string' ? { sql: options } : options;
    const all = values.length === 0 ? given : { ...given, values: [...values] };
    connection.query(all, (error, result) => {
      if (error) reject(error);
      else resolve(result as T);
    });
  });

const farewellMs = 5_000;

const sessionOver = (
  connection: Connection,
  socket: Socket,
  config: MysqlConfig,
  deps: Pick<OpenDeps, 'net' | 'role'>,
): Session => {
  let ended: Promise<void> | undefined;
  let closed: Promise<void> | undefined;
  const leave = async (): Promise<void> => {
    if (socket.destroyed) return;
    // A server that no longer answers must not keep us from leaving.
    const limit = setTimeout(() => socket.destroy(), farewellMs);
    await new Promise<void>((resolve) => {
      socket.once('close', () => resolve());
      connection.end(() => socket.destroy());
    });
    clearTimeout(limit);
  };
  return {
    connection,
    rows: (sql, values) => query(connection, sql, values),
    run: (sql, values) => query(connection, sql, values),
    cut: () => {
      if (socket.destroyed) return;
      socket.destroy();
      ended = killSession(config, deps, connection.threadId);
    },
    close: async () => {
      await (closed ??= leave());
      await ended;
    },
  };
};

const lateToLogIn = (): Error =>
  Object.assign(new Error('the login took too long'), { code: 'ETIMEDOUT' });

/** A connection that is logged in and set up, within the time the connection allows for that. */
export const openSession = async (
  config: MysqlConfig,
  deps: Pick<OpenDeps, 'net' | 'role'>,
  { signal }: CallContext,
): Promise<Session> => {
  let socket: Socket | undefined;
  const cut = (): void => {
    socket?.destroy();
  };
  const patience = setTimeout(
    () => socket?.destroy(lateToLogIn()),
    (config.connectTimeoutSeconds ?? 10) * 1000,
  );
  signal.addEventListener('abort', cut, { once: true });
  try {
    socket = await deps.net.connect(config.host, config.port ?? 3306, signal, deps.role);
    const connection = await logIn(socket, config, deps.role);
    const session = sessionOver(connection, socket, config, deps);
    await session.run(settingsSql(config, deps.role));
    return session;
  } catch (error) {
    cut();
    signal.throwIfAborted();
    throw classify(error, deps.role);
  } finally {
    clearTimeout(patience);
    signal.removeEventListener('abort', cut);
  }
};
