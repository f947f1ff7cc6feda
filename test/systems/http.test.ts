/** What it does with pages and answers is tried in test/connectors/http. */
import { conformance } from '../connectors/conformance/conformance.js';
import { startFronts } from '../connectors/stores/tlsFront.js';
import { json, startApi } from '../support/apiServer.js';

conformance({
  connector: 'http',
  system: 'a REST API',
  network: true,
  // What is shown of an API are its records; there are no tables to look at.
  parts: ['connection', 'documents'],
  skips: {
    'a bad connection: too_many_connections': 'HTTP has no word for it',
    'a bad connection: database_missing': 'a path that leads nowhere is told as such',
  },
  start: async () => {
    const api = await startApi();
    let records: readonly object[] = [];
    let arrived: { key: string; record: unknown }[] = [];
    api.answer(({ method, url, headers, body }, answer) => {
      if (headers.authorization !== 'Bearer good-token') json(answer, {}, 401);
      else if (url.pathname === '/private') json(answer, {}, 403);
      else if (method === 'GET') {
        const from = Number(url.searchParams.get('offset') ?? 0);
        const to = from + Number(url.searchParams.get('limit') ?? 100);
        json(answer, { total: records.length, rows: records.slice(from, to) });
      } else {
        const key = String(headers['idempotency-key']);
        const sent = JSON.parse(body) as unknown[];
        arrived.push(...sent.map((record, place) => ({ key: `${key} ${place}`, record })));
        json(answer, {});
      }
    });
    const fronts = await startFronts(api.port);
    const { good, misnamed, strangerCertificate } = fronts;
    const auth = { type: 'bearer' };
    const config = { baseUrl: api.origin, auth, token: 'good-token', timeoutSeconds: 1 };
    return {
      config,
      secrets: ['good-token', 'bad-token'],
      at: (host, port) => ({ ...config, baseUrl: `http://${host}:${port}` }),
      problems: {
        tls_mismatch: { config: { ...config, baseUrl: `https://127.0.0.1:${api.port}` } },
        certificate_untrusted: {
          config: { ...config, baseUrl: good.url, caCertificate: strangerCertificate },
        },
        certificate_mismatch: {
          config: { ...config, baseUrl: misnamed.url, caCertificate: misnamed.caCertificate },
        },
        login_refused: { config: { ...config, token: 'bad-token' } },
        permission_denied: { config: { ...config, checkPath: '/private' } },
      },
      documents: {
        source: {
          config: {
            connectionId: '',
            path: '/rows',
            recordPath: 'rows',
            pagination: { type: 'offset', pageSize: 30, totalPath: 'total' },
          },
          fill: async (given) => {
            records = given;
          },
          record: (line) => line,
        },
        destination: {
          config: { connectionId: '', path: '/rows', batchSize: 10 },
          arrived: async () => {
            const all = arrived;
            arrived = [];
            return all;
          },
        },
      },
      stop: async () => {
        await fronts.close();
        await api.close();
      },
    };
  },
});
