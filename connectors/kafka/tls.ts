import { isIP } from 'node:net';
import type { Socket } from 'node:net';
import { connect as upgrade } from 'node:tls';
import type { KafkaConfig } from './manifest.js';

/** The other side hung up while both were to agree on how to encrypt: it speaks no TLS. */
export class NoTls extends Error {
  override readonly name = 'NoTls';
}

/** TLS, where the connection asks for it, over a socket that is connected. */
export const encrypted = (
  socket: Socket,
  host: string,
  { ssl = 'disable', caCertificate }: KafkaConfig,
): Promise<Socket> => {
  if (ssl === 'disable') return Promise.resolve(socket);
  const bare = host.replace(/^\[(.*)\]$/, '$1');
  return new Promise((resolve, reject) => {
    const secure = upgrade({
      socket,
      // Whom the certificate must name; without it Node would ask for localhost.
      host: bare,
      rejectUnauthorized: ssl === 'verify-full',
      ...(isIP(bare) ? {} : { servername: bare }),
      ...(caCertificate === undefined ? {} : { ca: caCertificate }),
    });
    const ended = (): void => reject(new NoTls('the connection ended during the handshake'));
    secure.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'ECONNRESET' || error.code === 'ERR_SSL_WRONG_VERSION_NUMBER'
        ? ended()
        : reject(error),
    );
    secure.once('close', ended);
    secure.once('secureConnect', () => {
      secure.removeAllListeners('error').off('close', ended);
      resolve(secure);
    });
  });
};
