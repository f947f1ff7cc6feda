import type { Socket } from 'node:net';
import pg, { DatabaseError } from 'pg';
import { connectFailure } from '../../core/connecting.js';
import { RunFailure } from '../../core/failures.js';
import type { CallContext, OpenDeps } from '../connector.js';
import type { Role } from '../manifest.js';
import { backendKeyOf, cancelStatement } from './cancel.js';
import { classify } from './classify.js';
import type { PostgresConfig } from './manifest.js';
import { quoteName, quoteText } from './quote.js';
import { negotiateTls } from './tls.js';

export interface Session {
  client: pg.Client;
  /** Drops the line at once and ends whatever runs on it; the server rolls back. */
  cut: () => void;
  /** After a cut: until the server has been told. */
  close: () => Promise<void>;
}

/**
 * A connection for bulk work: our own caps instead of the server's statement timeout, and a limit
 * on idling inside a transaction so that a lost worker cannot hold locks for long. Every value is
 * written in one way, whatever the server prefers; of the forms of an interval this is the one
 * that both PostgreSQL and DuckDB read back, with mixed signs and fractions.
 */
const bulkSettings: Readonly<Record<string, string>> = {
  application_name: 'fluxline',
  statement_timeout: '0',
  idle_in_transaction_session_timeout: '60s',
  client_encoding: 'UTF8',
  datestyle: 'ISO, YMD',
  intervalstyle: 'postgres_verbose',
  timezone: 'UTC',
  extra_float_digits: '1',
  bytea_output: 'hex',
  xmlbinary: 'base64',
  lc_monetary: 'C',
};

/**
 * What not every version has: no other clocks on a transaction than ours, and a look at the line
 * now and then, so that a killed worker leaves no query behind.
 */
const newerSettingsSql = `
  select set_config(s.name, wanted.value, false)
    from pg_settings s
    join (values ('transaction_timeout', '0'), ('idle_session_timeout', '0'),
                 ('client_connection_check_interval', '10s')) wanted (name, value)
      on wanted.name = s.name
   where s.name <> 'client_connection_check_interval' or version() ~ 'linux'`;

const settingsSql = (config: PostgresConfig): string =>
  Object.entries({ ...config.options, ...bulkSettings })
    .map(([name, value]) => `set ${name.split('.').map(quoteName).join('.')} = ${quoteText(value)}`)
    .join('; ');

/**
 * Our own metadata is nobody's source or destination, under whatever name the server is reached.
 * Asked of the catalog, which also those may read who may not use the schema.
 */
const platformSql = `
  select count(*) = 3 as ours from pg_class c join pg_namespace n on n.oid = c.relnamespace
   where n.nspname = 'public' and c.relname in ('jobs', 'pipeline_versions', 'instance')`;

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

/** What the server says of whom it does not let in without TLS; it has no SQLSTATE of its own. */
const wantsTls = (error: unknown): boolean =>
  error instanceof DatabaseError &&
  error.code === '28000' &&
  /no encryption|SSL off/.test(error.message);

const logIn = async (socket: Socket, config: PostgresConfig, role: Role): Promise<pg.Client> => {
  const stream = await negotiateTls(socket, config, role);
  const client = new pg.Client({
    database: config.database,
    user: config.user,
    password: config.password ?? '',
    ssl: false, // the stream is encrypted already, where it is to be
    stream: () => asUnconnected(stream),
  });
  // A connection that breaks between two statements says so here; the next statement reports it.
  client.on('error', () => undefined);
  await client.connect().catch((error: unknown) => {
    if (config.ssl !== 'disable' || !wantsTls(error)) throw error;
    const detail = 'The server refuses this login without encryption [28000].';
    throw connectFailure('tls_mismatch', { role, detail, cause: error });
  });
  // Settings and check in one round trip; the driver gives a list where there are several answers.
  const results = (await client.query(
    `${settingsSql(config)}; ${newerSettingsSql}; ${platformSql}`,
  )) as unknown as pg.QueryResult<{ ours?: boolean }>[];
  if (!results.at(-1)?.rows[0]?.ours) return client;
  throw new RunFailure({
    code: 'platform_database_refused',
    class: 'config',
    message: "This is Fluxline's own metadata database; connect to a database of your own.",
  });
};

const farewellMs = 5_000;

const sessionOver = (
  client: pg.Client,
  socket: Socket,
  config: PostgresConfig,
  deps: Pick<OpenDeps, 'net' | 'role'>,
): Session => {
  let told: Promise<void> | undefined;
  let closed: Promise<void> | undefined;
  const leave = (): Promise<void> =>
    new Promise((resolve) => {
      // A server that no longer answers must not keep us from leaving.
      const limit = setTimeout(() => socket.destroy(), farewellMs);
      const left = (): void => {
        clearTimeout(limit);
        resolve();
      };
      // The driver's promise misses an end that comes while it is being asked for.
      client.once('end', left);
      client.end().then(left, left);
    });
  return {
    client,
    cut: () => {
      if (socket.destroyed) return;
      socket.destroy();
      const key = backendKeyOf(client);
      if (key) told = cancelStatement(config, deps, key);
    },
    close: async () => {
      await (closed ??= leave());
      await told;
    },
  };
};

const lateToLogIn = (): Error =>
  Object.assign(new Error('the login took too long'), { code: 'ETIMEDOUT' });

/** A connection that is logged in and set up, within the time the connection allows for that. */
export const openSession = async (
  config: PostgresConfig,
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
    socket = await deps.net.connect(config.host, config.port ?? 5432, signal, deps.role);
    const client = await logIn(socket, config, deps.role);
    return sessionOver(client, socket, config, deps);
  } catch (error) {
    cut();
    signal.throwIfAborted();
    throw classify(error, deps.role);
  } finally {
    clearTimeout(patience);
    signal.removeEventListener('abort', cut);
  }
};
