import { createVerify, generateKeyPairSync, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openConnector } from '../../connectors/registry.js';
import type { Connector } from '../../connectors/connector.js';
import type { GcsConfig } from '../../connectors/gcs/manifest.js';
import type { Store } from '../../connectors/store.js';
import { startServer } from '../support/serverProcess.js';
import type { ServerProcess, WebReady } from '../support/serverProcess.js';
import { conformance } from '../connectors/conformance/conformance.js';
import { loopback, openDeps } from '../connectors/stores/anywhere.js';
import { chunksOf, context, failure, keysOf } from '../connectors/stores/suite.js';
import { startFronts } from '../connectors/stores/tlsFront.js';
import { webSuite } from '../connectors/stores/webSuite.js';

let base: string;
let gcs: ServerProcess<WebReady>;
const opened: Connector[] = [];

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'gcs-'));
  gcs = await startServer('fakeGcs', { directory: base });
}, 900_000);
afterAll(async () => {
  for (const connector of opened) await connector.close();
  await gcs.stop();
  await rm(base, { recursive: true, force: true });
});

const makeBucket = async (): Promise<string> => {
  const name = `bucket-${randomUUID()}`;
  const made = await fetch(`${gcs.ready.url}/storage/v1/b`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name }),
  });
  expect(made.status).toBe(200);
  return name;
};

const makeConfig = async () => ({ endpoint: gcs.ready.url, bucket: await makeBucket() });

const accountKey = (privateKey: string, tokenUrl: string): string =>
  JSON.stringify({
    type: 'service_account',
    client_email: 'loader@example.com',
    private_key: privateKey,
    private_key_id: 'one',
    token_uri: tokenUrl,
  });

type AnswerToken = (asked: URLSearchParams) => [status: number, answer: object];

/** What Google's server of tokens does, as far as it matters here. */
const startTokens = async (answer: AnswerToken) => {
  let times = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      times += 1;
      const [status, body] = answer(new URLSearchParams(Buffer.concat(chunks).toString()));
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/token`,
    times: () => times,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};

const serving = async (
  answer: AnswerToken,
  work: (url: string, times: () => number) => Promise<void>,
): Promise<void> => {
  const tokens = await startTokens(answer);
  try {
    await work(tokens.url, tokens.times);
  } finally {
    await tokens.close();
  }
};

const open = async (config: GcsConfig, net = loopback): Promise<Connector & { store: Store }> => {
  const connector = await openConnector('gcs', config, openDeps(net));
  opened.push(connector);
  const { store } = connector;
  if (!store) throw new Error('gcs has no store');
  return { ...connector, store };
};

let shared: GcsConfig | undefined;
webSuite({
  title: 'gcs on fake-gcs-server',
  open: async (net) => (await open((shared ??= await makeConfig()), net)).store,
});

describe('gcs on fake-gcs-server, beyond', () => {
  it('keeps to its prefix', async () => {
    const config = await makeConfig();
    const all = (await open(config)).store;
    const { store } = await open({ ...config, prefix: 'in side/deep' });
    await all.write('in side/deeper', chunksOf('no'), context());
    await store.write('a/b', chunksOf('yes'), context());
    expect(await keysOf(store)).toEqual(['a/b']);
    await store.rename('a/b', 'c', context());
    expect(await keysOf(all)).toEqual(['in side/deep/c', 'in side/deeper']);
  });

  it('signs for a token once, and uses it', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    await serving(
      (asked) => {
        const [header = '', claims = '', signature = ''] = (asked.get('assertion') ?? '').split(
          '.',
        );
        const good = createVerify('RSA-SHA256')
          .update(`${header}.${claims}`)
          .verify(publicKey, signature, 'base64url');
        const { iss } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as { iss: string };
        if (!good || iss !== 'loader@example.com') return [400, { error: 'invalid_grant' }];
        return [200, { access_token: 'a-token', expires_in: 3600 }];
      },
      async (tokenUrl, times) => {
        const config = { ...(await makeConfig()), serviceAccountKey: accountKey(key, tokenUrl) };
        const { store } = await open(config);
        await store.write('a', chunksOf('1'), context());
        expect(await keysOf(store)).toEqual(['a']);
        expect(times()).toBe(1);
      },
    );
  });

  it('says what is wrong with a key, and nothing of what is in it', async () => {
    for (const serviceAccountKey of ['{"secret', '{}', accountKey('no-pem-secret', 'https://x')]) {
      const { store } = await open({ ...(await makeConfig()), serviceAccountKey });
      const failed = await keysOf(store).catch((error: unknown) => error);
      expect(failed).toMatchObject(failure('config_invalid'));
      expect(String(failed)).toContain('serviceAccountKey');
      expect(String(failed)).not.toMatch(/secret|loader/);
    }
  });
});

conformance({
  connector: 'gcs',
  system: 'fake-gcs-server',
  network: true,
  skips: {
    'a bad connection: too_many_connections': 'Google asks for fewer requests, not for connections',
    'a bad connection: permission_denied': 'the server lets everybody do everything',
  },
  files: {
    fresh: async () => ({ store: (await open(await makeConfig())).store }),
  },
  start: async () => {
    const config = { ...(await makeConfig()), timeoutSeconds: 1 };
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    const fronts = await startFronts(gcs.ready.port);
    const { good, misnamed, strangerCertificate } = fronts;
    const tokens = await startTokens(() => [400, { error: 'invalid_grant' }]);
    return {
      config,
      secrets: [key, JSON.stringify(key)],
      at: (host, port) => ({ ...config, endpoint: `http://${host}:${port}` }),
      problems: {
        tls_mismatch: { config: { ...config, endpoint: config.endpoint.replace('http', 'https') } },
        certificate_untrusted: {
          config: { ...config, endpoint: good.url, caCertificate: strangerCertificate },
        },
        certificate_mismatch: {
          config: { ...config, endpoint: misnamed.url, caCertificate: misnamed.caCertificate },
        },
        login_refused: { config: { ...config, serviceAccountKey: accountKey(key, tokens.url) } },
        database_missing: { config: { ...config, bucket: 'nobody' } },
      },
      stop: async () => {
        await tokens.close();
        await fronts.close();
      },
    };
  },
});
