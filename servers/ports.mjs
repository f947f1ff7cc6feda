import { createServer } from 'node:net';
import { hasCode, StartError } from './errors.mjs';

const LOOPBACK = '127.0.0.1';

/**
 * @param {number} port 0 lets the system choose
 * @param {string} host
 * @returns {Promise<import('node:net').Server>}
 */
const listen = (port, host) =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen({ port, host, exclusive: true }, () => resolve(server));
  });

/** @param {import('node:net').Server} server */
const close = (server) =>
  new Promise((resolve) => {
    server.close(resolve);
  });

/**
 * @param {number} port
 * @param {string} [host]
 */
export async function portInUse(port, host = LOOPBACK) {
  try {
    await close(await listen(port, host));
    return false;
  } catch (error) {
    if (hasCode(error, 'EADDRINUSE')) return true;
    if (hasCode(error, 'EACCES')) {
      throw new StartError(`Port ${port} needs administrator rights; choose one above 1023.`);
    }
    if (hasCode(error, 'EADDRNOTAVAIL') || hasCode(error, 'ENOTFOUND')) {
      throw new StartError(`${host} is not an address of this machine; choose another.`);
    }
    throw error;
  }
}

/**
 * Different free ports: all are held until the last is found.
 * @param {number} count
 * @param {string} [host]
 * @returns {Promise<number[]>}
 */
export async function freePorts(count, host = LOOPBACK) {
  const held = await Promise.all(Array.from({ length: count }, () => listen(0, host)));
  const ports = held.map((server) => {
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('no port was assigned');
    return address.port;
  });
  await Promise.all(held.map(close));
  return ports;
}

/** @param {string} [host] */
export async function freePort(host = LOOPBACK) {
  const [port] = await freePorts(1, host);
  if (port === undefined) throw new Error('no port was assigned');
  return port;
}
