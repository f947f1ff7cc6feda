import type { CallContext, Connector, ConnectionConfig } from '../../../connectors/connector.js';
import { openConnector } from '../../../connectors/registry.js';
import { makeAddressPolicy, parseCidrs } from '../../../net/addressPolicy.js';
import { makeDialer } from '../../../net/dial.js';
import { localDirectories } from '../../support/anywhere.js';

export const context = (signal = new AbortController().signal): CallContext => ({
  signal,
  log: { info: () => undefined, warn: () => undefined },
});

export const openHttp = (
  config: ConnectionConfig,
  role: 'source' | 'destination' = 'source',
  allowed = '127.0.0.0/8',
): Promise<Connector> =>
  openConnector('http', config, {
    net: makeDialer(makeAddressPolicy(parseCidrs(allowed))),
    role,
    maxRowBytes: 1024 * 1024,
    localDirectories,
  });
