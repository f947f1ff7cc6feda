import type { Socket } from 'node:net';
import type { Connection } from 'mysql2';
import type { OpenDeps } from '../connector.js';
import { logIn } from './login.js';
import type { MysqlConfig } from './manifest.js';

const patienceMs = 5_000;

const ask = (connection: Connection, sql: string): Promise<unknown[]> =>
  new Promise((resolve, reject) => {
    connection.query(sql, (error, rows) => {
      if (error) reject(error);
      else resolve(Array.isArray(rows) ? rows : []);
    });
  });

/**
 * A server only notices that nobody listens any more when it next sends something; a query that
 * sorts for an hour would go on for an hour, and a transaction keep its locks. So it is told on a
 * connection of its own, and asked until it has rolled back. Whether it helped does not change what
 * the caller does.
 */
export const killSession = async (
  config: MysqlConfig,
  { net, role }: Pick<OpenDeps, 'net' | 'role'>,
  threadId: number | null,
): Promise<void> => {
  if (threadId === null) return;
  let socket: Socket | undefined;
  const patience = setTimeout(() => socket?.destroy(), patienceMs);
  try {
    const limit = AbortSignal.timeout(patienceMs);
    socket = await net.connect(config.host, config.port ?? 3306, limit, role);
    const connection = await logIn(socket, config, role);
    await ask(connection, `kill connection ${threadId}`);
    const there = `select sleep(0.02) from information_schema.processlist where id = ${threadId}`;
    while ((await ask(connection, there)).length > 0);
  } catch {
    // The line is cut in any case; the server finds out later.
  } finally {
    clearTimeout(patience);
    socket?.destroy();
  }
};
