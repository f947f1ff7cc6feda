import { createHmac, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openConnector } from '../../connectors/registry.js';
import type { Connector } from '../../connectors/connector.js';
import { openContainer } from '../../connectors/azure_blob/container.js';
import type { AzureConfig } from '../../connectors/azure_blob/manifest.js';
import { apiVersion } from '../../connectors/azure_blob/sign.js';
import { makeHttpDispatcher } from '../../connectors/httpDispatcher.js';
import type { Store } from '../../connectors/store.js';
import { startServer } from '../support/serverProcess.js';
import type { AzuriteReady, ServerProcess } from '../support/serverProcess.js';
import { conformance } from '../connectors/conformance/conformance.js';
import { loopback, openDeps } from '../connectors/stores/anywhere.js';
import { chunksOf, context, failure, keysOf, readAll } from '../connectors/stores/suite.js';
import { startFronts } from '../connectors/stores/tlsFront.js';
import { webSuite } from '../connectors/stores/webSuite.js';

let base: string;
let azurite: ServerProcess<AzuriteReady>;
const opened: Connector[] = [];

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'azure-'));
  azurite = await startServer('azurite', { directory: base });
}, 900_000);
afterAll(async () => {
  for (const connector of opened) await connector.close();
  await azurite.stop();
  await rm(base, { recursive: true, force: true });
});

const configOf = (container: string): AzureConfig => {
  const { account, accountKey, endpoint } = azurite.ready;
  return { account, container, accountKey, endpoint };
};

const makeContainer = async (): Promise<AzureConfig> => {
  const config = configOf(`container-${randomUUID()}`);
  const { dispatcher, close } = makeHttpDispatcher({
    connect: (host, port, signal) => loopback.connect(host, port, signal, 'source'),
  });
  const container = openContainer(config, 'source', dispatcher);
  const request = { method: 'PUT', path: container.path, query: { restype: 'container' } } as const;
  await container.send(request, { ...context(), accepts: [201] });
  await close();
  return config;
};

const open = async (config: AzureConfig, net = loopback): Promise<Connector & { store: Store }> => {
  const connector = await openConnector('azure_blob', config, openDeps(net));
  opened.push(connector);
  const { store } = connector;
  if (!store) throw new Error('azure_blob has no store');
  return { ...connector, store };
};

let shared: AzureConfig | undefined;
webSuite({
  title: 'azure_blob on Azurite',
  open: async (net) => (await open((shared ??= await makeContainer()), net)).store,
});

/** A shared access signature of the account: what may be done with containers and blobs. */
const sasFor = (permissions: string): string => {
  const { account, accountKey } = azurite.ready;
  const expiry = new Date(Date.now() + 3_600_000).toISOString().replace(/\.\d+Z$/, 'Z');
  const text = [account, permissions, 'b', 'co', '', expiry, '', 'https,http', apiVersion, '', ''];
  const signature = createHmac('sha256', Buffer.from(accountKey, 'base64'))
    .update(text.join('\n'))
    .digest('base64');
  const query = { sv: apiVersion, ss: 'b', srt: 'co', sp: permissions, se: expiry };
  return `?${new URLSearchParams({ ...query, spr: 'https,http', sig: signature }).toString()}`;
};

const withSas = (
  { account, container, endpoint = '' }: AzureConfig,
  permissions: string,
): AzureConfig => ({ account, container, endpoint, sasToken: sasFor(permissions) });

describe('azure_blob on Azurite, beyond', () => {
  it('keeps to its prefix', async () => {
    const config = await makeContainer();
    const all = (await open(config)).store;
    const { store } = await open({ ...config, prefix: 'in side/deep' });
    await all.write('in side/deeper', chunksOf('no'), context());
    await store.write('a/b', chunksOf('yes'), context());
    expect(await keysOf(store)).toEqual(['a/b']);
    await store.rename('a/b', 'c', context());
    expect(await keysOf(all)).toEqual(['in side/deep/c', 'in side/deeper']);
  });

  it('works with a shared access signature, as far as that goes', async () => {
    const config = await makeContainer();
    const { store } = await open(withSas(config, 'rwdlac'));
    await store.write('a b', chunksOf(Buffer.alloc(9 * 1024 * 1024, 'x')), context());
    await store.rename('a b', 'c#d', context());
    expect(await keysOf(store)).toEqual(['c#d']);
    expect(await readAll(store, 'c#d')).toHaveLength(9 * 1024 * 1024);
    const reader = (await open(withSas(config, 'rl'))).store;
    expect(await keysOf(reader)).toEqual(['c#d']);
    await expect(reader.write('e', chunksOf('1'), context())).rejects.toMatchObject(
      failure('destination_permission_denied'),
    );
    await expect(reader.remove('c#d', context())).rejects.toMatchObject(
      failure('destination_permission_denied'),
    );
  });
});

conformance({
  connector: 'azure_blob',
  system: 'Azurite',
  network: true,
  skips: {
    'a bad connection: too_many_connections': 'Azure asks for fewer requests, not for connections',
    'a bad connection: login_refused': 'Azurite’s word for a wrong key is Azure’s for a firewall',
  },
  files: {
    without: {
      'back\\slash': 'Azure takes a backslash for a slash',
      '\ue000private': 'Azurite lists in the order of UTF-16',
    },
    fresh: async () => ({ store: (await open(await makeContainer())).store }),
  },
  start: async () => {
    const config = { ...(await makeContainer()), timeoutSeconds: 1 };
    const fronts = await startFronts(azurite.ready.port);
    const { good, misnamed, strangerCertificate } = fronts;
    const at = (origin: string): AzureConfig => ({
      ...config,
      endpoint: `${origin}/${config.account}`,
    });
    const sas = withSas(config, 'wd');
    return {
      config,
      secrets: [config.accountKey ?? '', sas.sasToken ?? ''],
      at: (host, port) => at(`http://${host}:${port}`),
      problems: {
        tls_mismatch: { config: at(azurite.ready.url.replace('http', 'https')) },
        certificate_untrusted: {
          config: { ...at(good.url), caCertificate: strangerCertificate },
        },
        certificate_mismatch: {
          config: { ...at(misnamed.url), caCertificate: misnamed.caCertificate },
        },
        database_missing: { config: { ...config, container: 'nobody' } },
        permission_denied: { config: sas },
      },
      stop: () => fronts.close(),
    };
  },
});
