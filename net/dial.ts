import { lookup } from 'node:dns/promises';
import { connect, isIP } from 'node:net';
import type { Socket } from 'node:net';
import { RunFailure } from '../core/failures.js';
import type { AddressPolicy } from './addressPolicy.js';
import { refused, unreachable } from './failures.js';
import type { EndRole } from './failures.js';

export interface Dialer {
  connect(host: string, port: number, signal: AbortSignal, role: EndRole): Promise<Socket>;
}

export interface DialOptions {
  /** For the whole way: name, and every address it has. */
  timeoutMs?: number;
  resolve?: (host: string) => Promise<readonly string[]>;
}

const resolveAll = async (host: string): Promise<string[]> =>
  (await lookup(host, { all: true })).map(({ address }) => address);

/** What the promise comes to, unless the signal fires first: names are looked up uninterruptibly. */
const orAbort = async <T>(promise: Promise<T>, signal: AbortSignal): Promise<T> => {
  signal.throwIfAborted();
  let stop = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason as Error);
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
};

const open = (address: string, port: number, signal: AbortSignal): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connect({
      host: address,
      port,
      noDelay: true,
      keepAlive: true,
      keepAliveInitialDelay: 30_000,
    });
    const done = (): void => {
      signal.removeEventListener('abort', abort);
      socket.off('error', fail);
    };
    const fail = (error: Error): void => {
      done();
      socket.destroy();
      reject(error);
    };
    const abort = (): void => fail(signal.reason as Error);
    signal.addEventListener('abort', abort, { once: true });
    socket.once('error', fail);
    socket.once('connect', () => {
      done();
      resolve(socket);
    });
    if (signal.aborted) abort();
  });

/**
 * TCP to a host that a user named, through the policy. Every address of the name is checked, one
 * that is not allowed refuses the whole name, and the socket goes to a checked number: what the
 * name says later no longer matters.
 */
export const makeDialer = (
  policy: AddressPolicy,
  { timeoutMs = 15_000, resolve = resolveAll }: DialOptions = {},
): Dialer => {
  const addressesOf = async (host: string, signal: AbortSignal): Promise<readonly string[]> => {
    const bare = host.replace(/^\[(.*)\]$/, '$1');
    const addresses = isIP(bare) ? [bare] : await orAbort(resolve(bare), signal);
    const allowed = addresses.length > 0 && addresses.every((address) => policy.allows(address));
    if (!allowed) throw refused(host);
    return addresses;
  };

  const openChecked = async (
    host: string,
    address: string,
    port: number,
    signal: AbortSignal,
  ): Promise<Socket> => {
    const socket = await open(address, port, signal);
    const { remoteAddress } = socket;
    if (remoteAddress !== undefined && policy.allows(remoteAddress)) return socket;
    socket.destroy();
    // Without an address it was open and is closed again.
    throw remoteAddress === undefined ? new Error('closed at once') : refused(host);
  };

  const connectFirst = async (host: string, port: number, signal: AbortSignal): Promise<Socket> => {
    let last: unknown;
    for (const address of await addressesOf(host, signal)) {
      try {
        return await openChecked(host, address, port, signal);
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof RunFailure) throw error;
        last = error;
      }
    }
    throw last;
  };

  return {
    connect: async (host, port, signal, role) => {
      signal.throwIfAborted();
      const timeout = new AbortController();
      const timer = setTimeout(() => {
        timeout.abort(Object.assign(new Error('connect timed out'), { code: 'ETIMEDOUT' }));
      }, timeoutMs);
      try {
        return await connectFirst(host, port, AbortSignal.any([signal, timeout.signal]));
      } catch (error) {
        signal.throwIfAborted();
        throw unreachable(error, host, port, role);
      } finally {
        clearTimeout(timer);
      }
    },
  };
};
