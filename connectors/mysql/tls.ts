import { isIP } from 'node:net';
import type { Socket } from 'node:net';
import type { SslOptions } from 'mysql2';
import { connectFailure } from '../../core/connecting.js';
import type { Role } from '../manifest.js';
import type { MysqlConfig } from './manifest.js';

/** In the server's greeting: it can go on encrypted. */
const tlsCapability = 0x0800;

const ended = (): Error => Object.assign(new Error('the server hung up'), { code: 'ECONNRESET' });

/** The server speaks first. What it says is put back for the driver. */
const readGreeting = (socket: Socket): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    let had: Buffer = Buffer.alloc(0);
    const settle = (error?: Error): void => {
      socket.off('data', heard).off('error', settle).off('close', closed);
      socket.pause();
      if (error) {
        reject(error);
        return;
      }
      socket.unshift(had);
      resolve(had);
    };
    const heard = (bytes: Buffer): void => {
      had = Buffer.concat([had, bytes]);
      if (had.length >= 4 && had.length >= 4 + had.readUIntLE(0, 3)) settle();
    };
    const closed = (): void => settle(ended());
    socket.on('data', heard).on('error', settle).on('close', closed);
  });

/** Version and a zero, thread id, salt, a zero, then what it can do. */
const offersTls = (greeting: Buffer): boolean => {
  const versionEnd = greeting.indexOf(0, 5);
  const at = versionEnd + 1 + 4 + 8 + 1;
  return (
    greeting[4] === 10 &&
    greeting.length >= at + 2 &&
    (greeting.readUInt16LE(at) & tlsCapability) !== 0
  );
};

const isError = (greeting: Buffer): boolean => greeting[4] === 0xff;

/**
 * Whom a certificate must name where that is an address: Node takes it from here, as the driver
 * hands on names only, and would ask for localhost.
 */
const nameAddress = (socket: Socket, host: string): void => {
  if (isIP(host)) Object.assign(socket, { _host: host });
};

/**
 * TLS as the connection asks for it, for the driver to begin. `prefer` takes it where the server
 * has it and goes on in the clear where it has not.
 */
export const chooseTls = async (
  socket: Socket,
  config: MysqlConfig,
  role: Role,
): Promise<SslOptions | undefined> => {
  const mode = config.ssl ?? 'prefer';
  if (mode === 'disable') return undefined;
  const greeting = await readGreeting(socket);
  // It refuses to talk at all: the driver reads why.
  if (isError(greeting)) return undefined;
  if (!offersTls(greeting)) {
    if (mode === 'prefer') return undefined;
    throw connectFailure('tls_mismatch', {
      role,
      detail: 'The server does not offer TLS: set ssl to disable, or enable TLS on the server.',
    });
  }
  const verifies = mode === 'verify-full';
  if (verifies) nameAddress(socket, config.host);
  return {
    rejectUnauthorized: verifies,
    verifyIdentity: verifies,
    ...(config.caCertificate === undefined ? {} : { ca: config.caCertificate }),
  };
};
