import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request as it arrived. */
export interface Arrived {
  method: string;
  url: URL;
  headers: IncomingMessage['headers'];
  body: string;
}

export type Handler = (request: Arrived, answer: ServerResponse) => void;

export interface ApiServer {
  origin: string;
  port: number;
  /** In the order in which they came. */
  arrived: Arrived[];
  /** Connections that anybody has opened. */
  connections(): number;
  answer(handler: Handler): void;
  close(): Promise<void>;
}

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
};

/** An HTTP server of our own, which answers as the test says. */
export const startApi = async (): Promise<ApiServer> => {
  let handler: Handler = (_, answer) => answer.writeHead(404).end();
  let connections = 0;
  const arrived: Arrived[] = [];
  const server: Server = createServer((request, answer) => {
    void bodyOf(request).then((body) => {
      const url = new URL(request.url ?? '/', 'http://api.test');
      const came = { method: request.method ?? '', url, headers: request.headers, body };
      arrived.push(came);
      handler(came, answer);
    });
  });
  server.on('connection', () => {
    connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    port,
    arrived,
    connections: () => connections,
    answer: (next) => {
      arrived.length = 0;
      handler = next;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};

export const json = (answer: ServerResponse, body: unknown, status = 200): void => {
  answer.writeHead(status, { 'content-type': 'application/json' });
  answer.end(typeof body === 'string' ? body : JSON.stringify(body));
};
