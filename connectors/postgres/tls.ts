import { isIP } from 'node:net';
import type { Socket } from 'node:net';
import { connect as upgrade } from 'node:tls';
import { connectFailure } from '../../core/connecting.js';
import type { Role } from '../manifest.js';
import type { PostgresConfig } from './manifest.js';

/** Length 8, code 1234.5679: "do you speak TLS?" The answer is one byte, S or N. */
const request = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f]);

const ended = (): Error => Object.assign(new Error('the server hung up'), { code: 'ECONNRESET' });

const ask = (socket: Socket): Promise<string> =>
  new Promise((resolve, reject) => {
    const settle = (error: Error | undefined, answer = ''): void => {
      socket.off('data', answered).off('error', settle).off('close', closed);
      socket.pause();
      if (error) reject(error);
      else resolve(answer);
    };
    // More than the one byte would be someone slipping us text before the encryption begins.
    const answered = (bytes: Buffer): void =>
      bytes.length === 1 ? settle(undefined, bytes.toString('latin1')) : settle(ended());
    const closed = (): void => settle(ended());
    socket.on('data', answered).on('error', settle).on('close', closed);
    socket.write(request);
  });

const encrypt = (socket: Socket, config: PostgresConfig): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const secure = upgrade({
      socket,
      // Whom the certificate must name; without it Node would ask for localhost.
      host: config.host,
      rejectUnauthorized: config.ssl === 'verify-full',
      ...(isIP(config.host) ? {} : { servername: config.host }),
      ...(config.caCertificate === undefined ? {} : { ca: config.caCertificate }),
    });
    secure.once('error', reject);
    secure.once('secureConnect', () => {
      secure.off('error', reject);
      resolve(secure);
    });
  });

/**
 * TLS as the connection asks for it, over a socket that is connected. `prefer` takes it where the
 * server has it and goes on in the clear where it has not, on the same connection.
 */
export const negotiateTls = async (
  socket: Socket,
  config: PostgresConfig,
  role: Role,
): Promise<Socket> => {
  const mode = config.ssl ?? 'prefer';
  if (mode === 'disable') return socket;
  const answer = await ask(socket);
  if (answer === 'S') return encrypt(socket, config);
  if (mode === 'prefer' && answer === 'N') return socket;
  throw connectFailure('tls_mismatch', {
    role,
    detail: 'The server does not offer TLS: set ssl to disable, or enable TLS on the server.',
  });
};
