/** What a store has to do, whatever it is: its test file brings one that is empty. */
import { createHash, randomBytes } from 'node:crypto';
import { RunFailure } from '../../../core/failures.js';
import type { CallContext } from '../../../connectors/connector.js';
import type { Store, StoreFile } from '../../../connectors/store.js';

export const context = (signal = new AbortController().signal): CallContext => ({
  signal,
  log: { info: () => undefined, warn: () => undefined },
});

export interface StoreTrial {
  store: Store;
  /** Parts of files that were never finished, where the system tells. */
  leftovers?: () => Promise<number>;
}

export interface StoreHarness {
  title: string;
  /** A store that nobody has written to. */
  fresh: () => Promise<StoreTrial>;
  /** Keys that it cannot hold, and why. */
  without?: Readonly<Record<string, string>>;
}

export async function* chunksOf(...chunks: (string | Buffer)[]): AsyncGenerator<Buffer> {
  for (const chunk of chunks) yield Buffer.from(chunk);
}

export const readAll = async (
  store: Store,
  key: string,
  range: { from: number; to?: number } = { from: 0 },
): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  for await (const chunk of store.read(key, range, context())) chunks.push(chunk);
  return Buffer.concat(chunks);
};

export const listAll = async (
  store: Store,
  prefix = '',
  after = '',
): Promise<readonly StoreFile[]> => {
  const files: StoreFile[] = [];
  for await (const file of store.list(prefix, context(), { after })) files.push(file);
  return files;
};

export const keysOf = async (store: Store, prefix = '', after = ''): Promise<readonly string[]> =>
  (await listAll(store, prefix, after)).map(({ key }) => key);

export const failure = (code: string): object => ({
  failure: expect.objectContaining({ code }) as unknown,
});

const inOrder = (keys: readonly string[]): string[] =>
  [...keys].sort((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)));

const oddKeys = [
  'a',
  'a b+c%20&d=e?f#g.csv',
  "a'(1)!*~;:@$,[x]",
  'b-1',
  'b.1',
  'b/a/z',
  'b/x',
  'bb',
  '"quoted" <tag>&amp;',
  'back\\slash',
  'é',
  'e\u0301',
  '表/データ.csv',
  '\ue000private',
  '😀/smile',
  '.hidden',
  'UPPER',
  'week=2024-01-01/part.csv',
];

const megabyte = 1024 * 1024;

const sha = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

export const storeSuite = ({ title, fresh, without = {} }: StoreHarness): void => {
  const keys = oddKeys.filter((key) => without[key] === undefined);

  describe(title, () => {
    const write = (store: Store, key: string, ...chunks: (string | Buffer)[]) =>
      store.write(key, chunksOf(...chunks), context());

    it('gives back what was written, whole and in parts', async () => {
      const { store } = await fresh();
      const file = await write(store, 'a/b/c.txt', 'hel', 'lo');
      expect(file).toMatchObject({ key: 'a/b/c.txt', bytes: 5 });
      expect(String(await readAll(store, 'a/b/c.txt'))).toBe('hello');
      expect(String(await readAll(store, 'a/b/c.txt', { from: 1, to: 3 }))).toBe('el');
      expect(String(await readAll(store, 'a/b/c.txt', { from: 4 }))).toBe('o');
      expect(String(await readAll(store, 'a/b/c.txt', { from: 2, to: 99 }))).toBe('llo');
      expect(String(await readAll(store, 'a/b/c.txt', { from: 9 }))).toBe('');
      expect(String(await readAll(store, 'a/b/c.txt', { from: 2, to: 2 }))).toBe('');
      expect(await store.stat('a/b/c.txt', context())).toEqual(file);
      expect(await listAll(store)).toMatchObject([
        { key: 'a/b/c.txt', bytes: 5, etag: file.etag, modifiedAt: file.modifiedAt },
      ]);
      expect(await store.stat('a/b', context())).toBeUndefined();
      expect(await store.stat('nope', context())).toBeUndefined();
    });

    it('holds a file without bytes', async () => {
      const { store } = await fresh();
      expect(await write(store, 'empty')).toMatchObject({ bytes: 0 });
      expect(await readAll(store, 'empty')).toHaveLength(0);
      expect(await readAll(store, 'empty', { from: 0, to: 10 })).toHaveLength(0);
      expect(await listAll(store)).toMatchObject([{ key: 'empty', bytes: 0 }]);
    });

    it('has another etag whenever the contents are others', async () => {
      const { store } = await fresh();
      const etags = new Set<string>();
      for (const text of ['one', 'two', 'six']) {
        etags.add((await write(store, 'a', text)).etag);
        expect(String(await readAll(store, 'a'))).toBe(text);
      }
      expect(etags.size).toBe(3);
      expect(await listAll(store)).toMatchObject([{ etag: [...etags].at(-1) }]);
    });

    it('holds odd keys, and lists them in order of their bytes, by prefix and after one', async () => {
      const { store } = await fresh();
      for (const key of keys) await write(store, key, `in ${key}`);
      const all = await keysOf(store);
      expect(all).toEqual(inOrder(keys));
      for (const key of keys) {
        expect(String(await readAll(store, key))).toBe(`in ${key}`);
        expect(await store.stat(key, context())).toMatchObject({ key });
      }
      for (const prefix of ['b', 'b/', 'b/a', '表', 'week=', 'nope/']) {
        expect(await keysOf(store, prefix)).toEqual(all.filter((key) => key.startsWith(prefix)));
      }
      for (const [index, key] of all.entries()) {
        expect(await keysOf(store, '', key)).toEqual(all.slice(index + 1));
      }
      expect(await keysOf(store, '', 'b/a')).toEqual(all.slice(all.indexOf('b/a/z')));
      const later = all.slice(all.indexOf('b/x')).filter((key) => key.startsWith('b'));
      expect(await keysOf(store, 'b', 'b/a/zz')).toEqual(later);
      for (const key of keys) await store.remove(key, context());
      expect(await keysOf(store)).toEqual([]);
    });

    it('lists more than a page', async () => {
      const { store } = await fresh();
      const many = Array.from({ length: 1_105 }, (_, index) => `many/${String(index)}`);
      const lanes = Array.from({ length: 8 }, (_, lane) =>
        many.filter((_key, at) => at % 8 === lane),
      );
      await Promise.all(
        lanes.map(async (lane) => {
          for (const key of lane) await write(store, key, '.');
        }),
      );
      const all = inOrder(many);
      expect(await keysOf(store, 'many/')).toEqual(all);
      expect(await keysOf(store, 'many/', all[1_050])).toEqual(all.slice(1_051));
    });

    it('takes a large file of unknown length, in chunks of any size', async () => {
      const { store, leftovers } = await fresh();
      const bytes = randomBytes(20 * megabyte + 12_345);
      async function* uneven(): AsyncGenerator<Buffer> {
        for (let at = 0, size = 1; at < bytes.length; at += size, size = (size * 7) % 3_000_017) {
          yield bytes.subarray(at, at + size);
        }
      }
      const file = await store.write('large', uneven(), context());
      expect(file.bytes).toBe(bytes.length);
      expect(sha(await readAll(store, 'large'))).toBe(sha(bytes));
      const range = { from: 8 * megabyte - 3, to: 8 * megabyte + 70_000 };
      expect(sha(await readAll(store, 'large', range))).toBe(
        sha(bytes.subarray(range.from, range.to)),
      );
      // As many bytes as parts hold, and not one more.
      await store.write('even', chunksOf(bytes.subarray(0, 16 * megabyte)), context());
      expect(sha(await readAll(store, 'even'))).toBe(sha(bytes.subarray(0, 16 * megabyte)));
      expect((await leftovers?.()) ?? 0).toBe(0);
    });

    it.each([
      ['small', 1],
      ['large', 10 * megabyte],
    ])(
      'shows nothing of a %s file that is not whole, and leaves nothing of it',
      async (_, size) => {
        const { store, leftovers } = await fresh();
        await write(store, 'a', 'old');
        async function* broken(): AsyncGenerator<Buffer> {
          yield Buffer.alloc(size, 'x');
          yield Buffer.alloc(size, 'y');
          expect(await keysOf(store)).toEqual(['a']);
          expect(String(await readAll(store, 'a'))).toBe('old');
          throw new Error('broken');
        }
        await expect(store.write('a', broken(), context())).rejects.toThrow('broken');
        await expect(store.write('b', broken(), context())).rejects.toThrow('broken');
        expect(String(await readAll(store, 'a'))).toBe('old');
        expect(await keysOf(store)).toEqual(['a']);
        expect((await leftovers?.()) ?? 0).toBe(0);
      },
    );

    it('stops writing when it is told to', async () => {
      const { store, leftovers } = await fresh();
      const reason = new Error('stop');
      const control = new AbortController();
      async function* stopping(): AsyncGenerator<Buffer> {
        yield Buffer.alloc(9 * megabyte);
        control.abort(reason);
        yield Buffer.alloc(9 * megabyte);
      }
      await expect(store.write('a', stopping(), context(control.signal))).rejects.toBe(reason);
      expect(await keysOf(store)).toEqual([]);
      expect((await leftovers?.()) ?? 0).toBe(0);
      const stopped = context(control.signal);
      await expect(store.stat('a', stopped)).rejects.toBe(reason);
      await expect(store.remove('a', stopped)).rejects.toBe(reason);
    });

    it('stops reading when it is told to, and when nobody reads on', async () => {
      const { store } = await fresh();
      await write(store, 'big', Buffer.alloc(4 * megabyte));
      const reason = new Error('stop');
      const control = new AbortController();
      const drained = (async () => {
        for await (const chunk of store.read('big', { from: 0 }, context(control.signal))) {
          expect(chunk.length).toBeGreaterThan(0);
          control.abort(reason);
        }
      })();
      await expect(drained).rejects.toBe(reason);
      for (let round = 0; round < 40; round++) {
        for await (const chunk of store.read('big', { from: round }, context())) {
          expect(chunk.length).toBeGreaterThan(0);
          break;
        }
      }
      expect(await readAll(store, 'big')).toHaveLength(4 * megabyte);
    });

    it('renames over what is there, large files too', async () => {
      const { store } = await fresh();
      await write(store, 'a', '1');
      await write(store, 'deep/er/b', 'old');
      await store.rename('a', 'deep/er/b', context());
      expect(await keysOf(store)).toEqual(['deep/er/b']);
      expect(String(await readAll(store, 'deep/er/b'))).toBe('1');
      await expect(store.rename('a', 'c', context())).rejects.toMatchObject(
        failure('schema_drift'),
      );
      const bytes = randomBytes(12 * megabyte);
      await write(store, 'l a/rge#', bytes);
      await store.rename('l a/rge#', 'm+oved?é', context());
      expect(await keysOf(store)).toEqual(['deep/er/b', 'm+oved?é']);
      expect(sha(await readAll(store, 'm+oved?é'))).toBe(sha(bytes));
    });

    it('renames to its own name, and nothing is lost', async () => {
      const { store } = await fresh();
      await write(store, 'a', '1');
      await store.rename('a', 'a', context());
      expect(String(await readAll(store, 'a'))).toBe('1');
    });

    it('removes once and again', async () => {
      const { store } = await fresh();
      await write(store, 'a', '1');
      await store.remove('a', context());
      await store.remove('a', context());
      await store.remove('no/such', context());
      expect(await store.stat('a', context())).toBeUndefined();
      await expect(readAll(store, 'a')).rejects.toMatchObject(failure('schema_drift'));
      await expect(readAll(store, 'a', { from: 0, to: 0 })).rejects.toMatchObject(
        failure('schema_drift'),
      );
    });

    it.each(['', '/', '/a', 'a/', 'a//b', '.', '..', '../a', 'a/../b', 'a/./b', 'a\0b'])(
      'takes %j for no path',
      async (key) => {
        const { store } = await fresh();
        const refused = failure('config_invalid');
        await expect(write(store, key, 'x')).rejects.toMatchObject(refused);
        await expect(readAll(store, key)).rejects.toMatchObject(refused);
        await expect(store.stat(key, context())).rejects.toMatchObject(refused);
        await expect(store.remove(key, context())).rejects.toMatchObject(refused);
        await write(store, 'there', 'x');
        await expect(store.rename('there', key, context())).rejects.toMatchObject(refused);
        expect(await keysOf(store)).toEqual(['there']);
      },
    );

    it('passes on what the chunks themselves fail with', async () => {
      const { store } = await fresh();
      const own = new RunFailure({ code: 'row_too_large', class: 'schema', message: 'mine' });
      async function* failing(): AsyncGenerator<Buffer> {
        yield Buffer.from('x');
        throw own;
      }
      await expect(store.write('a', failing(), context())).rejects.toBe(own);
    });
  });
};
