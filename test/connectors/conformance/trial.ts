/** Opens connectors as the service does, and keeps an eye on their sockets. */
import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import type { Connector, Net } from '../../../connectors/connector.js';
import type { Manifest } from '../../../connectors/manifest.js';
import { openConnector } from '../../../connectors/registry.js';
import { makeAddressPolicy, parseCidrs } from '../../../net/addressPolicy.js';
import { makeDialer } from '../../../net/dial.js';
import { localDirectories } from '../../support/anywhere.js';
import type { Trial } from './check.js';
import type { Harness, System } from './harness.js';

const dialer = (): Net => makeDialer(makeAddressPolicy(parseCidrs('127.0.0.0/8,::1/128')));

const watched = (net: Net, sockets: Set<Socket>): Net => ({
  connect: async (...wanted) => {
    const socket = await net.connect(...wanted);
    sockets.add(socket);
    return socket;
  },
});

export const makeTrial = (
  harness: Harness,
  manifest: Manifest,
  system: System,
): { trial: Trial; end: () => Promise<void> } => {
  const sockets = new Set<Socket>();
  const connectors: Connector[] = [];
  return {
    trial: {
      harness,
      manifest,
      system,
      open: async ({ role = 'source', config = system.config, net, maxRowBytes } = {}) => {
        const connector = await openConnector(harness.connector, config, {
          net: watched(net ?? dialer(), sockets),
          role,
          maxRowBytes: maxRowBytes ?? 16 * 1024 * 1024,
          localDirectories,
          ...(system.duckdb ? { duckdb: system.duckdb } : {}),
        });
        connectors.push(connector);
        return connector;
      },
      sockets: {
        opened: () => sockets.size,
        open: () => [...sockets].filter((socket) => !socket.destroyed).length,
        bytesRead: () => [...sockets].reduce((sum, socket) => sum + socket.bytesRead, 0),
      },
      freshName: (stem) => `${stem}_${randomBytes(4).toString('hex')}`,
    },
    end: async () => {
      await Promise.all(connectors.map((connector) => connector.close()));
    },
  };
};
