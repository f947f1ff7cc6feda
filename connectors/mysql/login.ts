import type { Socket } from 'node:net';
import { createConnection } from 'mysql2';
import type { Connection } from 'mysql2';
import type { Role } from '../manifest.js';
import type { MysqlConfig } from './manifest.js';
import { chooseTls } from './tls.js';

/**
 * Not what the driver would ask for by default: no files of ours unless we send them, no functions
 * that a space makes something else, no statement with attributes.
 */
const flags = ['-IGNORE_SPACE', '-CLIENT_QUERY_ATTRIBUTES', '-SESSION_TRACK'];

/** The driver over a socket that is guarded and connected already. */
export const logIn = async (
  socket: Socket,
  config: MysqlConfig,
  role: Role,
): Promise<Connection> => {
  const ssl = await chooseTls(socket, config, role);
  const connection = createConnection({
    host: config.host,
    port: config.port ?? 3306,
    database: config.database,
    user: config.user,
    password: config.password ?? '',
    charset: 'UTF8MB4_GENERAL_CI',
    stream: socket,
    connectTimeout: 0, // ours runs
    disableEval: true,
    typeCast: (field: { string(): string | null }) => field.string(),
    flags: role === 'source' ? [...flags, '-LOCAL_FILES'] : flags,
    ...(ssl ? { ssl } : {}),
  });
  await new Promise<void>((resolve, reject) => {
    connection.once('connect', () => resolve());
    // A connection that breaks between two statements says so here; the next statement reports it.
    connection.on('error', reject);
    socket.resume();
  });
  return connection;
};
