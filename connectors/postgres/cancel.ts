import type { Socket } from 'node:net';
import type pg from 'pg';
import type { OpenDeps } from '../connector.js';
import type { PostgresConfig } from './manifest.js';
import { negotiateTls } from './tls.js';

/** Length 16, code 1234.5678: "stop what this process is doing". */
const cancelRequest = ({ processId, secret }: BackendKey): Buffer => {
  const request = Buffer.alloc(16);
  request.writeInt32BE(16, 0);
  request.writeInt32BE(80877102, 4);
  request.writeInt32BE(processId, 8);
  request.writeInt32BE(secret, 12);
  return request;
};

interface BackendKey {
  processId: number;
  secret: number;
}

/** What the server said at the login; the driver keeps it, its types do not show it. */
export const backendKeyOf = (client: pg.Client): BackendKey | undefined => {
  const { processID, secretKey } = client as unknown as Record<string, unknown>;
  return typeof processID === 'number' && typeof secretKey === 'number'
    ? { processId: processID, secret: secretKey }
    : undefined;
};

const patienceMs = 5_000;

/**
 * A server only notices that nobody listens any more when it next sends something; a query that
 * sorts for an hour would go on for an hour. The request travels on a connection of its own and
 * has no answer: the server hangs up. Whether it helped does not change what the caller does.
 */
export const cancelStatement = async (
  config: PostgresConfig,
  { net, role }: Pick<OpenDeps, 'net' | 'role'>,
  key: BackendKey,
): Promise<void> => {
  let socket: Socket | undefined;
  const patience = setTimeout(() => socket?.destroy(), patienceMs);
  try {
    const limit = AbortSignal.timeout(patienceMs);
    socket = await net.connect(config.host, config.port ?? 5432, limit, role);
    const stream = await negotiateTls(socket, config, role);
    await new Promise<void>((resolve) => {
      stream.once('error', () => resolve()).once('close', () => resolve());
      stream.resume();
      stream.end(cancelRequest(key));
    });
  } catch {
    // The connection is cut in any case; the server finds out later.
  } finally {
    clearTimeout(patience);
    socket?.destroy();
  }
};
