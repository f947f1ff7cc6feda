import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CallContext } from '../../connectors/connector.js';
import { openConnector } from '../../connectors/registry.js';
import type { Store } from '../../connectors/store.js';
import { localDirectories } from '../support/anywhere.js';

const context = (signal = new AbortController().signal): CallContext => ({
  signal,
  log: { info: () => undefined, warn: () => undefined },
});

const net = { connect: () => Promise.reject(new Error('files need no network')) };

let base: string;
let root: string;
let store: Store;

const openStore = async (directory: string, role: 'source' | 'destination'): Promise<Store> => {
  const deps = { net, role, maxRowBytes: 1024, localDirectories };
  const connector = await openConnector('local', { directory }, deps);
  if (!connector.store) throw new Error('local has no store');
  return connector.store;
};

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'local-'));
  root = join(base, 'root');
  await mkdir(join(root, 'dir'), { recursive: true });
  await mkdir(join(base, 'outside'));
  await writeFile(join(base, 'outside', 'secret'), 'secret');
  store = await openStore(root, 'destination');
});

afterEach(() => rm(base, { recursive: true }));

async function* chunksOf(...texts: string[]): AsyncGenerator<Buffer> {
  for (const text of texts) yield Buffer.from(text);
}

const write = (key: string, ...texts: string[]) => store.write(key, chunksOf(...texts), context());

const readText = async (key: string, from = 0, to?: number): Promise<string> => {
  const chunks: Buffer[] = [];
  const range = to === undefined ? { from } : { from, to };
  for await (const chunk of store.read(key, range, context())) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
};

const list = async (prefix: string, after = ''): Promise<string[]> => {
  const keys: string[] = [];
  for await (const { key } of store.list(prefix, context(), { after })) keys.push(key);
  return keys;
};

const failure = (code: string): object => ({
  failure: expect.objectContaining({ code }) as unknown,
});

it('gives back what was written, whole and in parts', async () => {
  const file = await write('a/b/c.txt', 'hel', 'lo');
  expect(file).toMatchObject({ key: 'a/b/c.txt', bytes: 5 });
  expect(await readText('a/b/c.txt')).toBe('hello');
  expect(await readText('a/b/c.txt', 1, 3)).toBe('el');
  expect(await readText('a/b/c.txt', 4)).toBe('o');
  expect(await readText('a/b/c.txt', 9)).toBe('');
  expect(await store.stat('a/b/c.txt', context())).toEqual(file);
  expect(await store.stat('a/b', context())).toBeUndefined();
  expect(await store.stat('nope', context())).toBeUndefined();
  expect(await store.localPath?.('a/b/c.txt')).toBe(join(root, 'a/b/c.txt'));
});

it('has another etag whenever the contents are others', async () => {
  const etags = new Set<string>();
  for (const text of ['one', 'two', 'six', 'six']) etags.add((await write('a', text)).etag);
  expect(etags.size).toBe(4);
});

it('lists in order of keys, by prefix', async () => {
  for (const key of ['b/x', 'b-1', 'b.1', 'a', 'é', 'bb', 'b/a/z', '.hidden']) await write(key, '');
  const all = await list('');
  expect(all).toEqual([...all].sort((x, y) => Buffer.compare(Buffer.from(x), Buffer.from(y))));
  expect(all).toHaveLength(8);
  expect(await list('b')).toEqual(['b-1', 'b.1', 'b/a/z', 'b/x', 'bb']);
  expect(await list('b/')).toEqual(['b/a/z', 'b/x']);
  expect(await list('b/a')).toEqual(['b/a/z']);
  expect(await list('nope/')).toEqual([]);
  // What comes after a place is the rest of the same list.
  for (const [index, key] of all.entries()) {
    expect(await list('', key)).toEqual(all.slice(index + 1));
  }
  expect(await list('', 'b/a')).toEqual(all.slice(all.indexOf('b/a/z')));
  expect(await list('b', 'b/a/zz')).toEqual(['b/x', 'bb']);
});

it('renames and removes', async () => {
  await write('a', '1');
  await store.rename('a', 'deep/er/b', context());
  expect(await list('')).toEqual(['deep/er/b']);
  await expect(store.rename('a', 'c', context())).rejects.toMatchObject(failure('schema_drift'));
  await store.remove('deep/er/b', context());
  await store.remove('deep/er/b', context());
  await store.remove('no/such', context());
  expect(await list('')).toEqual([]);
});

it('shows nothing of a file that is not whole, and leaves nothing of it', async () => {
  await write('a', 'old');
  async function* broken(): AsyncGenerator<Buffer> {
    yield Buffer.from('new');
    expect(await list('')).toEqual(['a']);
    expect(await readText('a')).toBe('old');
    throw new Error('broken');
  }
  await expect(store.write('a', broken(), context())).rejects.toThrow('broken');
  expect(await readText('a')).toBe('old');
  expect(await readdir(root)).toEqual(['a', 'dir']);
});

it('stops when it is told to', async () => {
  const reason = new Error('stop');
  const control = new AbortController();
  async function* stopping(): AsyncGenerator<Buffer> {
    yield Buffer.from('1');
    control.abort(reason);
    yield Buffer.from('2');
  }
  await expect(store.write('a', stopping(), context(control.signal))).rejects.toBe(reason);
  expect(await readdir(root)).toEqual(['dir']);
  await write('big', 'x'.repeat(300_000), 'x'.repeat(300_000));
  const reading = new AbortController();
  const chunks = store.read('big', { from: 0 }, context(reading.signal));
  const drained = (async () => {
    for await (const chunk of chunks) {
      expect(chunk.length).toBeGreaterThan(0);
      reading.abort(reason);
    }
  })();
  await expect(drained).rejects.toBe(reason);
  await expect(store.stat('a', context(reading.signal))).rejects.toBe(reason);
});

const everyCall = (key: string): [string, () => Promise<unknown>][] => [
  ['stat', () => store.stat(key, context())],
  ['read', () => readText(key)],
  ['write', () => write(key, 'x')],
  ['localPath', () => store.localPath?.(key) ?? Promise.resolve()],
  ['rename from', () => store.rename(key, 'x', context())],
  ['rename to', () => store.rename('inside', key, context())],
  ['remove', () => store.remove(key, context())],
];

const outsideIsUntouched = async (): Promise<void> => {
  expect(await readdir(join(base, 'outside'))).toEqual(['secret']);
  expect(await readdir(base)).toEqual(['outside', 'root']);
};

it.each([
  '../outside/secret',
  '..',
  '.',
  '',
  '/etc/passwd',
  'dir/../../outside/secret',
  'dir//x',
  'dir/',
  'dir/./x',
  'dir/\0',
  '.flx-00000000-0000-7000-8000-000000000000.part',
])('refuses the key %j', async (key) => {
  await write('inside', '1');
  for (const [, call] of everyCall(key)) {
    await expect(call()).rejects.toMatchObject(failure('config_invalid'));
  }
  await outsideIsUntouched();
});

describe('a symbolic link', () => {
  it('to a directory is not followed', async () => {
    await write('inside', '1');
    await symlink(join(base, 'outside'), join(root, 'link'));
    await symlink(join(root, 'dir'), join(root, 'within'));
    for (const link of ['link', 'within']) {
      for (const [name, call] of everyCall(`${link}/secret`)) {
        const answer = await call().catch((error: unknown) => error);
        // What is not reached is either refused or not there.
        if (name !== 'stat' && name !== 'remove') expect(answer).toBeInstanceOf(Error);
        else if (!(answer instanceof Error)) expect(answer).toBeUndefined();
      }
      await expect(write(`${link}/deep/x`, '1')).rejects.toMatchObject(failure('config_invalid'));
    }
    expect(await readdir(join(root, 'dir'))).toEqual([]);
    expect(await list('')).toEqual(['inside']);
    await outsideIsUntouched();
  });

  it('to a file is no file; writing replaces the link itself', async () => {
    await symlink(join(base, 'outside', 'secret'), join(root, 'link'));
    await symlink(join(base, 'outside', 'new'), join(root, 'dangling'));
    expect(await list('')).toEqual([]);
    for (const key of ['link', 'dangling']) {
      expect(await store.stat(key, context())).toBeUndefined();
      await expect(readText(key)).rejects.toMatchObject(failure('schema_drift'));
      await expect(store.localPath?.(key)).rejects.toMatchObject(failure('schema_drift'));
      await write(key, 'mine');
      expect(await readText(key)).toBe('mine');
    }
    await outsideIsUntouched();
  });

  it('in place of a directory, swapped in while it is read or written, leads nowhere', async () => {
    await write('dir/secret', 'inside');
    const moved = join(base, 'root', 'moved');
    async function* swapping(): AsyncGenerator<Buffer> {
      yield Buffer.from('1');
      await rename(join(root, 'dir'), moved);
      await symlink(join(base, 'outside'), join(root, 'dir'));
      yield Buffer.from('2');
    }
    await store.write('dir/new', swapping(), context()).catch(() => undefined);
    await expect(readText('dir/secret')).rejects.toBeInstanceOf(Error);
    await outsideIsUntouched();
  });
});

it('does not wait for the other end of a pipe', async () => {
  execFileSync('/usr/bin/env', ['mkfifo', join(root, 'pipe')]);
  expect(await list('')).toEqual([]);
  expect(await store.stat('pipe', context())).toBeUndefined();
  await expect(readText('pipe')).rejects.toMatchObject(failure('schema_drift'));
});

it('says what is wrong with its directory', async () => {
  const nowhere = await openStore(join(base, 'nowhere'), 'source');
  const message = 'does not exist on the worker’s host';
  await expect(nowhere.stat('a', context())).rejects.toThrow(message);
  await expect(nowhere.write('a', chunksOf(''), context())).rejects.toThrow(message);
  const listed = (async () => {
    for await (const file of nowhere.list('', context())) expect(file).toBeUndefined();
  })();
  await expect(listed).rejects.toMatchObject(failure('config_invalid'));
  const file = await openStore(join(base, 'outside', 'secret'), 'source');
  await expect(file.stat('a', context())).rejects.toThrow(message);
});

it('has no file and directory of one name', async () => {
  await write('a', '1');
  await expect(write('a/b', '1')).rejects.toMatchObject(failure('config_invalid'));
  await write('d/x', '1');
  await expect(write('d', '1')).rejects.toMatchObject(failure('config_invalid'));
  expect(await list('')).toEqual(['a', 'd/x']);
});
