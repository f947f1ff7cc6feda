import type { Socket } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import pg from 'pg';
import { RunFailure } from '../../core/failures.js';
import type { CallContext, Net } from '../connector.js';
import { classify } from './classify.js';
import type { PostgresConfig } from './manifest.js';
import { quoteName, quoteText } from './quote.js';

export interface Session {
  client: pg.Client;
  /** Drops the line at once, whatever runs on it; the server rolls back. */
  cut: () => void;
  close: () => Promise<void>;
}

interface Connected {
  client: pg.Client;
  socket: Socket;
}

const noTls = 'The server does not support SSL connections';

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

const tlsOptions = (config: PostgresConfig): ConnectionOptions | false => {
  const mode = config.ssl ?? 'prefer';
  if (mode === 'disable') return false;
  if (mode !== 'verify-full') return { rejectUnauthorized: false };
  return {
    rejectUnauthorized: true,
    ...(config.caCertificate === undefined ? {} : { ca: config.caCertificate }),
  };
};

/** The driver opens sockets itself; ours is guarded and connected already. */
const asUnconnected = (socket: Socket): Socket => {
  socket.connect = (): Socket => {
    process.nextTick(() => socket.emit('connect'));
    return socket;
  };
  return socket;
};

const connectOnce = async (
  config: PostgresConfig,
  ssl: ConnectionOptions | false,
  net: Net,
  signal: AbortSignal,
): Promise<Connected> => {
  const socket = await net.connect(config.host, config.port ?? 5432, signal);
  const client = new pg.Client({
    host: config.host,
    port: config.port ?? 5432,
    database: config.database,
    user: config.user,
    password: config.password ?? '',
    ssl,
    stream: () => asUnconnected(socket),
    connectionTimeoutMillis: (config.connectTimeoutSeconds ?? 10) * 1000,
  });
  // A connection that breaks between two statements says so here; the next statement reports it.
  client.on('error', () => undefined);
  const abort = (): void => {
    socket.destroy();
  };
  signal.addEventListener('abort', abort, { once: true });
  try {
    await client.connect();
    return { client, socket };
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    signal.removeEventListener('abort', abort);
  }
};

/** `prefer` takes TLS where the server has it, as every PostgreSQL client does. */
const connect = async (
  config: PostgresConfig,
  net: Net,
  signal: AbortSignal,
): Promise<Connected> => {
  const ssl = tlsOptions(config);
  try {
    return await connectOnce(config, ssl, net, signal);
  } catch (error) {
    // The driver has no code for this answer of the server, only its constant text.
    const refusesTls = error instanceof Error && error.message === noTls;
    if (!refusesTls) throw error;
    if ((config.ssl ?? 'prefer') === 'prefer') return connectOnce(config, false, net, signal);
    throw new RunFailure(
      {
        code: 'config_invalid',
        class: 'config',
        message: 'The server does not offer TLS: set ssl to disable, or enable TLS on the server.',
      },
      { cause: error },
    );
  }
};

/** Our own metadata is nobody's source or destination, under whatever name the server is reached. */
const refusePlatform = async (client: pg.Client): Promise<void> => {
  const { rows } = await client.query<{ ours: boolean }>(
    `select to_regclass('public.jobs') is not null
        and to_regclass('public.pipeline_versions') is not null
        and to_regclass('public.instance') is not null as ours`,
  );
  if (!rows[0]?.ours) return;
  throw new RunFailure({
    code: 'platform_database_refused',
    class: 'config',
    message: "This is Fluxline's own metadata database; connect to a database of your own.",
  });
};

export const openSession = async (
  config: PostgresConfig,
  net: Net,
  { signal }: CallContext,
): Promise<Session> => {
  try {
    const { client, socket } = await connect(config, net, signal);
    const settings = { ...config.options, ...bulkSettings };
    const statements = Object.entries(settings).map(
      ([name, value]) => `set ${name.split('.').map(quoteName).join('.')} = ${quoteText(value)}`,
    );
    // One round trip for all of them.
    await client.query(statements.join('; '));
    await refusePlatform(client);
    return {
      client,
      cut: () => socket.destroy(),
      close: async () => {
        await client.end().catch(() => undefined);
      },
    };
  } catch (error) {
    throw classify(error);
  }
};
