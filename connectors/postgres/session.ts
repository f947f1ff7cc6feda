import type { Socket } from 'node:net';
import pg from 'pg';
import { RunFailure } from '../../core/failures.js';
import type { CallContext, Net } from '../connector.js';
import { classify } from './classify.js';
import type { PostgresConfig } from './manifest.js';
import { quoteName, quoteText } from './quote.js';
import { negotiateTls } from './tls.js';

export interface Session {
  client: pg.Client;
  /** Drops the line at once, whatever runs on it; the server rolls back. */
  cut: () => void;
  close: () => Promise<void>;
}

/**
 * A connection for bulk work: our own caps instead of the server's statement timeout, and a limit
 * on idling inside a transaction so that a lost worker cannot hold locks for long.
 */
const bulkSettings: Readonly<Record<string, string>> = {
  application_name: 'fluxline',
  statement_timeout: '0',
  idle_in_transaction_session_timeout: '60s',
  client_encoding: 'UTF8',
  datestyle: 'ISO, YMD',
  intervalstyle: 'iso_8601',
  timezone: 'UTC',
  extra_float_digits: '1',
};

const settingsSql = (config: PostgresConfig): string =>
  Object.entries({ ...config.options, ...bulkSettings })
    .map(([name, value]) => `set ${name.split('.').map(quoteName).join('.')} = ${quoteText(value)}`)
    .join('; ');

/** Our own metadata is nobody's source or destination, under whatever name the server is reached. */
const platformSql = `
  select to_regclass('public.jobs') is not null
     and to_regclass('public.pipeline_versions') is not null
     and to_regclass('public.instance') is not null as ours`;

/** The driver opens sockets itself; ours is guarded and connected already. */
const asUnconnected = (socket: Socket): Socket => {
  socket.connect = (): Socket => {
    process.nextTick(() => {
      socket.emit('connect');
      // Paused since the TLS question was answered; from here on the driver listens.
      socket.resume();
    });
    return socket;
  };
  return socket;
};

const logIn = async (socket: Socket, config: PostgresConfig): Promise<pg.Client> => {
  const stream = await negotiateTls(socket, config);
  const client = new pg.Client({
    database: config.database,
    user: config.user,
    password: config.password ?? '',
    ssl: false, // the stream is encrypted already, where it is to be
    stream: () => asUnconnected(stream),
  });
  // A connection that breaks between two statements says so here; the next statement reports it.
  client.on('error', () => undefined);
  await client.connect();
  // Settings and check in one round trip; the driver gives a list where there are several answers.
  const results = (await client.query(
    `${settingsSql(config)}; ${platformSql}`,
  )) as unknown as pg.QueryResult<{ ours?: boolean }>[];
  if (!results.at(-1)?.rows[0]?.ours) return client;
  throw new RunFailure({
    code: 'platform_database_refused',
    class: 'config',
    message: "This is Fluxline's own metadata database; connect to a database of your own.",
  });
};

const lateToLogIn = (): Error =>
  Object.assign(new Error('the login took too long'), { code: 'ETIMEDOUT' });

const farewellMs = 5_000;

/** A connection that is logged in and set up, within the time the connection allows for that. */
export const openSession = async (
  config: PostgresConfig,
  net: Net,
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
    socket = await net.connect(config.host, config.port ?? 5432, signal);
    const client = await logIn(socket, config);
    return {
      client,
      cut,
      close: async () => {
        // A server that no longer answers must not keep us from leaving.
        const limit = setTimeout(cut, farewellMs);
        await client.end().catch(() => undefined);
        clearTimeout(limit);
      },
    };
  } catch (error) {
    cut();
    throw classify(error);
  } finally {
    clearTimeout(patience);
    signal.removeEventListener('abort', cut);
  }
};
