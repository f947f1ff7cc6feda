/** TLS in front of a server that has none. */
import { connect } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { createServer } from 'node:tls';
import { makeAuthority } from '../../support/certificates.js';
import type { Certificate } from '../../support/certificates.js';

interface Front {
  /** https:// */
  url: string;
  close(): Promise<void>;
}

const startFront = async (port: number, { certificate, key }: Certificate): Promise<Front> => {
  const sockets = new Set<Socket>();
  const server = createServer({ cert: certificate, key }, (secure) => {
    const plain = connect(port, '127.0.0.1');
    sockets.add(secure).add(plain);
    for (const [one, other] of [
      [secure, plain],
      [plain, secure],
    ] as const) {
      one.on('error', () => other.destroy());
      one.pipe(other);
    }
  });
  server.on('tlsClientError', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};

export interface Fronts {
  good: { url: string; caCertificate: string };
  /** Its certificate is for another host. */
  misnamed: { url: string; caCertificate: string };
  /** An authority that signed neither. */
  strangerCertificate: string;
  close(): Promise<void>;
}

export const startFronts = async (port: number): Promise<Fronts> => {
  const authority = makeAuthority('The authority of the test');
  const caCertificate = authority.certificate;
  const good = await startFront(port, authority.issue(['127.0.0.1']));
  const misnamed = await startFront(port, authority.issue(['elsewhere.example']));
  return {
    good: { url: good.url, caCertificate },
    misnamed: { url: misnamed.url, caCertificate },
    strangerCertificate: makeAuthority('Another authority').certificate,
    close: async () => {
      await good.close();
      await misnamed.close();
    },
  };
};
