import { lookup } from 'node:dns/promises';
import { connect, isIP } from 'node:net';
import type { Socket } from 'node:net';
import { RunFailure } from '../core/failures.js';
import type { AddressPolicy } from './addressPolicy.js';

const dialTimeoutMs = 15_000;

export interface Dialer {
  connect(host: string, port: number, signal: AbortSignal): Promise<Socket>;
}

const refused = (host: string): RunFailure =>
  new RunFailure({
    code: 'egress_denied',
    class: 'config',
    message: `Connections to ${host} are not allowed from here: its address is private. An operator can allow it with FLX_EGRESS_ALLOW_CIDRS.`,
  });

/**
 * Every address of the host; one that is not allowed rejects the whole name. Checked as numbers:
 * what the name says later no longer matters, so it cannot change between check and use.
 */
const addressesOf = async (host: string, policy: AddressPolicy): Promise<string[]> => {
  const bare = host.replace(/^\[(.*)\]$/, '$1');
  const addresses = isIP(bare)
    ? [bare]
    : (await lookup(bare, { all: true })).map(({ address }) => address);
  if (addresses.length === 0 || !addresses.every((address) => policy.allows(address))) {
    throw refused(host);
  }
  return addresses;
};

const open = (address: string, port: number, signal: AbortSignal): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connect({ host: address, port, noDelay: true, keepAlive: true });
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
      socket.off('error', fail);
    };
    const fail = (error: Error): void => {
      done();
      socket.destroy();
      reject(error);
    };
    const abort = (): void => fail(signal.reason as Error);
    const timer = setTimeout(
      () => fail(Object.assign(new Error('connect timed out'), { code: 'ETIMEDOUT' })),
      dialTimeoutMs,
    );
    signal.addEventListener('abort', abort, { once: true });
    socket.once('error', fail);
    socket.once('connect', () => {
      done();
      resolve(socket);
    });
  });

/** TCP to a host that a user named, through the policy. */
export const makeDialer = (policy: AddressPolicy): Dialer => ({
  connect: async (host, port, signal) => {
    signal.throwIfAborted();
    let last: unknown;
    for (const address of await addressesOf(host, policy)) {
      try {
        const socket = await open(address, port, signal);
        if (!policy.allows(socket.remoteAddress ?? '')) {
          socket.destroy();
          throw refused(host);
        }
        return socket;
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof RunFailure) throw error;
        last = error;
      }
    }
    throw last;
  },
});
