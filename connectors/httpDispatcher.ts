/**
 * HTTP for connectors, over sockets that are dialled for them: every connection of the dispatcher
 * goes through the guarded way out, with TLS on top where the URL says https. It follows no
 * redirect, and asks no proxy.
 */
import { Agent, buildConnector } from 'undici';
import type { Dispatcher } from 'undici';
import type { Socket } from 'node:net';
import type { ConnectReason } from '../core/connecting.js';
import { RunFailure } from '../core/failures.js';

export interface HttpDispatcherOptions {
  /** `deps.net.connect`, with the role filled in. It has a timeout of its own. */
  connect: (host: string, port: number, signal: AbortSignal) => Promise<Socket>;
  /** PEM; certificates that it signed are trusted instead of those that public authorities did. */
  caCertificate?: string;
  /** At one origin at once; further requests wait. */
  connections?: number;
  /** Until an answer begins, and between two pieces of it. */
  answerTimeoutMs?: number;
}

const tlsTimeoutMs = 15_000;
const idleMs = 10_000;
const longestHeaders = 64 * 1024;

const asError = (error: unknown): Error =>
  error instanceof Error ? error : new Error(String(error));

export interface HttpDispatcher {
  dispatcher: Dispatcher;
  /** What is under way fails. May be called twice. */
  close: () => Promise<void>;
}

export const makeHttpDispatcher = ({
  connect,
  caCertificate,
  connections = 64,
  answerTimeoutMs = 60_000,
}: HttpDispatcherOptions): HttpDispatcher => {
  const closing = new AbortController();
  const encrypt = buildConnector({
    timeout: tlsTimeoutMs,
    ...(caCertificate === undefined ? {} : { ca: caCertificate }),
  });
  const dial: buildConnector.connector = (options, callback) => {
    const secure = options.protocol === 'https:';
    const port = Number(options.port) || (secure ? 443 : 80);
    connect(options.hostname, port, closing.signal).then(
      (socket) => {
        if (secure) encrypt({ ...options, httpSocket: socket }, callback);
        else callback(null, socket);
      },
      (error: unknown) => callback(asError(error), null),
    );
  };
  const agent = new Agent({
    connect: dial,
    connections,
    headersTimeout: answerTimeoutMs,
    bodyTimeout: answerTimeoutMs,
    keepAliveTimeout: idleMs,
    maxHeaderSize: longestHeaders,
    pipelining: 1,
  });
  return {
    dispatcher: agent,
    close: () => {
      closing.abort(new Error('The connection is being closed.'));
      return agent.destroy();
    },
  };
};

const certificateCodes =
  /^(UNABLE_TO_|CERT_|SELF_SIGNED|DEPTH_ZERO_SELF_SIGNED|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE)/;

const reasonsByCode: Readonly<Record<string, ConnectReason>> = {
  ERR_TLS_CERT_ALTNAME_INVALID: 'certificate_mismatch',
  UND_ERR_CONNECT_TIMEOUT: 'connect_timeout',
  UND_ERR_HEADERS_TIMEOUT: 'connect_timeout',
  UND_ERR_BODY_TIMEOUT: 'connect_timeout',
  ETIMEDOUT: 'connect_timeout',
  EPROTO: 'tls_mismatch',
};

/** What went wrong below HTTP, where the guarded way out has not said it already. */
export const transportReason = (error: unknown): ConnectReason => {
  const given = (error as { code?: unknown } | null)?.code;
  const code = typeof given === 'string' ? given : '';
  const known = reasonsByCode[code];
  if (known) return known;
  if (certificateCodes.test(code)) return 'certificate_untrusted';
  // No TLS where it was expected, or TLS where plain text was.
  if (code.startsWith('ERR_SSL_') || code.startsWith('HPE_')) return 'tls_mismatch';
  return 'connection_lost';
};

const tooLong = (maxBytes: number): RunFailure =>
  new RunFailure({
    code: 'config_invalid',
    class: 'config',
    message: `The server answers with more than ${maxBytes} bytes, which is not to be expected here.`,
  });

/** The body of an answer as bytes; one that is longer than the cap is an error. */
export const readBody = async (body: AsyncIterable<Buffer>, maxBytes: number): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw tooLong(maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
};
