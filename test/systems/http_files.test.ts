/** How it reads is tried in test/connectors/httpFiles.test.ts; here: how it connects. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { conformance } from '../connectors/conformance/conformance.js';
import { startFronts } from '../connectors/stores/tlsFront.js';

conformance({
  connector: 'http_files',
  system: 'a web server',
  network: true,
  parts: ['connection'],
  skips: {
    'a bad connection: too_many_connections': 'HTTP has no word for it',
    'a bad connection: database_missing': 'a file that is missing is told as such',
  },
  start: async () => {
    const server = createServer(({ headers, url }, response) => {
      const known = headers.authorization === 'Bearer good-token';
      response.writeHead(!known ? 401 : url === '/private/a' ? 403 : 200).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const fronts = await startFronts(port);
    const { good, misnamed, strangerCertificate } = fronts;
    const config = { baseUrl: `http://127.0.0.1:${port}`, token: 'good-token', timeoutSeconds: 1 };
    return {
      config,
      secrets: ['good-token', 'bad-token'],
      at: (host, otherPort) => ({ ...config, baseUrl: `http://${host}:${otherPort}` }),
      problems: {
        tls_mismatch: { config: { ...config, baseUrl: `https://127.0.0.1:${port}` } },
        certificate_untrusted: {
          config: { ...config, baseUrl: good.url, caCertificate: strangerCertificate },
        },
        certificate_mismatch: {
          config: { ...config, baseUrl: misnamed.url, caCertificate: misnamed.caCertificate },
        },
        login_refused: { config: { ...config, token: 'bad-token' } },
        permission_denied: { config: { ...config, files: ['private/a'] } },
      },
      stop: async () => {
        await fronts.close();
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      },
    };
  },
});
