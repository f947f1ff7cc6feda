import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Connector, Net } from '../../connectors/connector.js';
import type { HttpFilesConfig } from '../../connectors/http_files/manifest.js';
import { openConnector } from '../../connectors/registry.js';
import type { Store } from '../../connectors/store.js';
import { cuttableNet, loopback, openDeps } from './stores/anywhere.js';
import { chunksOf, context, failure, keysOf, readAll } from './stores/suite.js';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** A site of files, as such sites are: with or without ranges, HEAD, validators. */
interface Kind {
  ranges?: boolean;
  head?: boolean;
  validator?: boolean;
  length?: boolean;
}

const files = new Map<string, Buffer>();
const seen: IncomingMessage[] = [];
let answer: Answer;
let url: string;

const server = createServer((request, response) => {
  seen.push(request);
  answer(request, response);
});

const site =
  ({ ranges = true, head = true, validator = true, length = true }: Kind): Answer =>
  (request, response) => {
    const bytes = files.get(decodeURIComponent(request.url ?? ''));
    if (request.method === 'HEAD' && !head) return void response.writeHead(405).end();
    if (!bytes) return void response.writeHead(404).end();
    const headers: Record<string, string> = validator
      ? { etag: `"${bytes.toString('hex', 0, 8)}"` }
      : {};
    const [, from, to] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '') ?? [];
    if (!ranges || from === undefined) {
      if (length) headers['content-length'] = String(bytes.length);
      response.writeHead(200, headers);
      return void response.end(request.method === 'HEAD' ? undefined : bytes);
    }
    if (Number(from) >= bytes.length) return void response.writeHead(416).end();
    const end =
      to === '' || to === undefined ? bytes.length : Math.min(Number(to) + 1, bytes.length);
    headers['content-range'] = `bytes ${from}-${end - 1}/${bytes.length}`;
    response.writeHead(206, headers).end(bytes.subarray(Number(from), end));
  };

const opened: Connector[] = [];

const open = async (
  config: Partial<HttpFilesConfig> = {},
  net: Net = loopback,
): Promise<Connector & { store: Store }> => {
  const whole = { baseUrl: `${url}/data/`, ...config };
  const connector = await openConnector('http_files', whole, { ...openDeps(net), role: 'source' });
  opened.push(connector);
  if (!connector.store) throw new Error('http_files has no store');
  return { ...connector, store: connector.store };
};

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  for (const one of opened) await one.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});
beforeEach(() => {
  files.clear();
  seen.length = 0;
  answer = site({});
});

const kinds: [string, Kind][] = [
  ['everything', {}],
  ['no ranges', { ranges: false }],
  ['no HEAD', { head: false }],
  ['no validators', { validator: false }],
  ['nothing', { ranges: false, head: false, validator: false, length: false }],
];

it.each(kinds)('reads from a site with %s, whole and in parts', async (_, kind) => {
  answer = site(kind);
  const bytes = randomBytes(300_000);
  files.set('/data/a b/é#1.csv', bytes);
  const { store } = await open();
  const key = 'a b/é#1.csv';
  expect((await readAll(store, key)).equals(bytes)).toBe(true);
  for (const [from, to] of [
    [0, 10],
    [299_990, 300_000],
    [100, 200_100],
    [299_999, 400_000],
  ] as const) {
    const part = await readAll(store, key, { from, to });
    expect(part.equals(bytes.subarray(from, to))).toBe(true);
  }
  expect(await readAll(store, key, { from: 5, to: 5 })).toHaveLength(0);
  const expected = kind.length === false ? 0 : bytes.length;
  expect(await store.stat(key, context())).toMatchObject({ key, bytes: expected });
  expect(await store.stat('nope', context())).toBeUndefined();
  await expect(readAll(store, 'nope')).rejects.toMatchObject(failure('schema_drift'));
  await expect(readAll(store, 'nope', { from: 1, to: 1 })).rejects.toMatchObject(
    failure('schema_drift'),
  );
});

it('knows the files that are listed, and only those', async () => {
  for (const name of ['b', 'a/2', 'a/1', 'other']) files.set(`/data/${name}`, Buffer.from(name));
  const { store } = await open({ files: ['b', 'a/2', 'a/1'] });
  expect(await keysOf(store)).toEqual(['a/1', 'a/2', 'b']);
  expect(await keysOf(store, 'a/')).toEqual(['a/1', 'a/2']);
  expect(await keysOf(store, '', 'a/1')).toEqual(['a/2', 'b']);
  files.delete('/data/a/2');
  await expect(keysOf(store)).rejects.toMatchObject(failure('schema_drift'));
});

it('without a list knows a file by its whole path', async () => {
  files.set('/data/a/1', Buffer.from('x'));
  const { store } = await open();
  expect(await keysOf(store, 'a/1')).toEqual(['a/1']);
  expect(await keysOf(store, 'a/1', 'a/1')).toEqual([]);
  for (const prefix of ['', 'a/', 'a']) expect(await keysOf(store, prefix)).toEqual([]);
});

it('can only read', async () => {
  const { store } = await open();
  const refused = failure('config_invalid');
  await expect(store.write('a', chunksOf('x'), context())).rejects.toMatchObject(refused);
  await expect(store.rename('a', 'b', context())).rejects.toMatchObject(refused);
  await expect(store.remove('a', context())).rejects.toMatchObject(refused);
  expect(seen).toEqual([]);
});

it.each(kinds.slice(0, 2))('goes on where it was cut off: %s', async (_, kind) => {
  answer = site(kind);
  const bytes = randomBytes(6 * 1024 * 1024);
  files.set('/data/big', bytes);
  const { net, sockets } = cuttableNet();
  const { store } = await open({}, net);
  const chunks: Buffer[] = [];
  let cut = false;
  for await (const chunk of store.read('big', { from: 3 }, context())) {
    chunks.push(chunk);
    if (!cut) for (const socket of sockets) socket.destroy();
    cut = true;
  }
  expect(Buffer.concat(chunks).equals(bytes.subarray(3))).toBe(true);
  expect(sockets.length).toBeGreaterThan(1);
});

it.each([
  ['another file is there', {}],
  ['nobody knows what is there', { validator: false, length: false, ranges: false }],
])('does not go on where %s', async (_, kind) => {
  answer = site(kind);
  files.set('/data/big', randomBytes(6 * 1024 * 1024));
  const { net, sockets } = cuttableNet();
  const { store } = await open({}, net);
  const reading = (async () => {
    for await (const chunk of store.read('big', { from: 0 }, context())) {
      expect(chunk.length).toBeGreaterThan(0);
      files.set('/data/big', randomBytes(6 * 1024 * 1024));
      for (const socket of sockets.splice(0)) socket.destroy();
    }
  })();
  await expect(reading).rejects.toMatchObject(failure('schema_drift'));
});

describe('sent elsewhere', () => {
  it('follows, and keeps its credentials to itself', async () => {
    const other = createServer((request, response) => {
      seen.push(request);
      response.writeHead(200, { etag: '"1"' }).end(request.method === 'HEAD' ? undefined : 'hello');
    });
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const there = `http://127.0.0.1:${(other.address() as AddressInfo).port}/x?signed=1`;
    answer = (_request, response) => void response.writeHead(302, { location: there }).end();
    const { store } = await open({ user: 'me', password: 'secret-word' });
    expect(String(await readAll(store, 'a'))).toBe('hello');
    const [first, second] = seen;
    const basic = `Basic ${Buffer.from('me:secret-word').toString('base64')}`;
    expect(first?.headers.authorization).toBe(basic);
    expect(second?.url).toBe('/x?signed=1');
    expect(second?.headers.authorization).toBeUndefined();
    other.closeAllConnections();
    await new Promise((resolve) => other.close(resolve));
  });

  it.each(['/data/a', 'ftp://elsewhere/a'])('does not follow for ever: %s', async (location) => {
    answer = (_request, response) => void response.writeHead(301, { location }).end();
    const { store } = await open();
    await expect(readAll(store, 'a')).rejects.toMatchObject(failure('config_invalid'));
  });

  it('goes nowhere that is not allowed', async () => {
    const location = 'http://169.254.169.254/latest/meta-data';
    answer = (_request, response) => void response.writeHead(302, { location }).end();
    const { store } = await open();
    await expect(readAll(store, 'a')).rejects.toMatchObject(failure('egress_denied'));
  });
});

describe('a check', () => {
  it('says what works and what does not', async () => {
    files.set('/data/a', Buffer.from('x'));
    const plain = await open();
    expect(await plain.check?.(context())).toMatchObject({
      notes: [expect.stringContaining('wildcards')],
    });
    expect(await (await open({ files: ['a'] })).check?.(context())).toMatchObject({ notes: [] });
    const wrong = await open({ files: ['nope'] });
    expect(await wrong.check?.(context())).toMatchObject({ notes: ['There is no file nope.'] });
  });

  it('fails where the login is refused, and does not say the password', async () => {
    answer = (_request, response) => void response.writeHead(401).end('no secret-word');
    for (const config of [{}, { files: ['a'] }]) {
      const connector = await open({ user: 'me', password: 'secret-word', ...config });
      const failed = await connector.check?.(context()).catch((error: unknown) => error);
      expect(failed).toMatchObject({ failure: { reason: 'login_refused' } });
      expect(JSON.stringify(failed)).not.toContain('secret-word');
    }
  });
});
