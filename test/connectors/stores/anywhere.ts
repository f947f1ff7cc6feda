/** Ways to a server of ours, and what a store is opened with. */
import type { Socket } from 'node:net';
import type { Net, OpenDeps } from '../../../connectors/connector.js';
import { makeAddressPolicy, parseCidrs } from '../../../net/addressPolicy.js';
import { makeDialer } from '../../../net/dial.js';
import { localDirectories } from '../../support/anywhere.js';

export const loopback: Net = makeDialer(makeAddressPolicy(parseCidrs('127.0.0.0/8')));

export const openDeps = (net: Net = loopback): OpenDeps => ({
  net,
  role: 'destination',
  maxRowBytes: 1024 * 1024,
  localDirectories,
});

/** Hands out sockets that a test can cut. */
export const cuttableNet = (): { net: Net; sockets: Socket[] } => {
  const sockets: Socket[] = [];
  const net: Net = {
    connect: async (...args) => {
      const socket = await loopback.connect(...args);
      sockets.push(socket);
      return socket;
    },
  };
  return { net, sockets };
};
