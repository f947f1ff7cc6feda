import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ListenSettings {
  host: string;
  port: number;
}

export interface Listening {
  /** As clients reach it; the port is the real one where 0 was asked for. */
  url: string;
  /** Takes no more connections, lets running requests end, then closes what is left. */
  close: () => Promise<void>;
}

const maxHeaderBytes = 16 * 1024;
const headersTimeoutMs = 20_000;
/** Longer than a body may take, so that a slow one gets its 400 instead of a cut line. */
const requestTimeoutMs = 60_000;
/** Longer than the idle timeout of usual load balancers: they must not meet a closing socket. */
const keepAliveMs = 65_000;
const graceMs = 25_000;

export const listen = (
  handle: (request: IncomingMessage, response: ServerResponse) => unknown,
  { host, port }: ListenSettings,
): Promise<Listening> => {
  let closing = false;
  const server = createServer(
    {
      maxHeaderSize: maxHeaderBytes,
      headersTimeout: headersTimeoutMs,
      requestTimeout: requestTimeoutMs,
      keepAliveTimeout: keepAliveMs,
    },
    (request, response) => {
      if (closing) response.setHeader('Connection', 'close');
      handle(request, response);
    },
  );

  const close = (): Promise<void> =>
    new Promise((resolve) => {
      closing = true;
      const force = setTimeout(() => server.closeAllConnections(), graceMs);
      server.close(() => {
        clearTimeout(force);
        resolve();
      });
      server.closeIdleConnections();
    });

  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      const at = server.address() as AddressInfo;
      const shown = host.includes(':') ? `[${host}]` : host;
      resolve({ url: `http://${shown}:${at.port}`, close });
    });
  });
};
