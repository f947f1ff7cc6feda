import type { OpenDeps } from '../connector.js';
import { makeHttpDispatcher } from '../httpDispatcher.js';
import type { HttpDispatcher } from '../httpDispatcher.js';

/** What the settings of all stores have about how they are reached. */
export interface Reaching {
  timeoutSeconds?: number;
  caCertificate?: string;
}

export const dispatcherFor = (
  { timeoutSeconds, caCertificate }: Reaching,
  { net, role }: OpenDeps,
): HttpDispatcher =>
  makeHttpDispatcher({
    connect: (host, port, signal) => net.connect(host, port, signal, role),
    ...(caCertificate === undefined ? {} : { caCertificate }),
    ...(timeoutSeconds === undefined ? {} : { answerTimeoutMs: timeoutSeconds * 1000 }),
  });
