import fc from 'fast-check';
import { listLevel } from '../../activities/connectionCalls/listLevel.js';
import type { Store, StoreFile } from '../../connectors/store.js';

const ctx = {
  signal: new AbortController().signal,
  log: { info: () => undefined, warn: () => undefined },
};

const bytesOf = (text: string): Buffer => Buffer.from(text);

const fileOf = (key: string): StoreFile => ({
  key,
  bytes: 1,
  etag: key,
  modifiedAt: new Date(0),
});

/** Keys in the order of their bytes, as every store has them; counts what it was made to look at. */
const storeOf = (keys: Iterable<string>) => {
  const sorted = [...keys].sort((a, b) => Buffer.compare(bytesOf(a), bytesOf(b)));
  const seen = { keys: 0, lists: 0 };
  const list: Store['list'] = async function* (prefix, _ctx, { after = '' } = {}) {
    seen.lists += 1;
    for (const key of sorted) {
      const wanted = key.startsWith(prefix) && Buffer.compare(bytesOf(key), bytesOf(after)) > 0;
      if (!wanted) continue;
      seen.keys += 1;
      yield fileOf(key);
    }
  };
  return { store: { list } as Store, seen };
};

const never = Number.MAX_SAFE_INTEGER;

const part = fc.stringMatching(/^[a-c0.é]{1,3}$/);
const key = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'));

/** What one level is by its definition. */
const levelOf = (keys: readonly string[], prefix: string, delimiter: string | undefined) => {
  const files: string[] = [];
  const prefixes = new Set<string>();
  for (const one of keys.filter((other) => other.startsWith(prefix))) {
    const end = delimiter === undefined ? -1 : one.indexOf(delimiter, prefix.length);
    if (end < 0) files.push(one);
    else prefixes.add(one.slice(0, end + (delimiter ?? '').length));
  }
  return { files: files.sort(), prefixes: [...prefixes].sort() };
};

test('the pages of a level are that level, each entry once, whatever their size', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(key, { maxLength: 40 }),
      fc.constantFrom('', 'a', 'a/', 'b/c'),
      fc.constantFrom(undefined, '/', 'a', './'),
      fc.integer({ min: 1, max: 7 }),
      async (keys, prefix, delimiter, limit) => {
        const { store } = storeOf(keys);
        const files: string[] = [];
        const prefixes: string[] = [];
        let after: string | undefined;
        do {
          const page = await listLevel(
            store,
            {
              prefix,
              limit,
              until: never,
              ...(delimiter === undefined ? {} : { delimiter }),
              ...(after === undefined ? {} : { after }),
            },
            ctx,
          );
          expect(page.files.length + page.prefixes.length).toBeLessThanOrEqual(limit);
          files.push(...page.files.map((file) => file.key));
          prefixes.push(...page.prefixes);
          after = page.next ?? undefined;
        } while (after !== undefined);
        expect({ files: files.sort(), prefixes: prefixes.sort() }).toEqual(
          levelOf(keys, prefix, delimiter),
        );
      },
    ),
  );
});

test('what lies below a prefix is stepped over, not walked through', async () => {
  const deep = Array.from({ length: 50_000 }, (_, index) => `many/${index}`);
  const { store, seen } = storeOf([...deep, 'one', 'other/2']);
  const page = await listLevel(store, { prefix: '', delimiter: '/', limit: 10, until: never }, ctx);
  expect(page).toMatchObject({ prefixes: ['many/', 'other/'], next: null });
  expect(page.files.map((file) => file.key)).toEqual(['one']);
  expect(seen.keys).toBeLessThan(2_000);
  expect(seen.lists).toBe(2);
});

test('a page is given out as it is when time is up, and the next one goes on', async () => {
  const { store } = storeOf(['a', 'b', 'c']);
  const first = await listLevel(store, { prefix: '', limit: 10, until: 0 }, ctx);
  expect(first.files.map((file) => file.key)).toEqual(['a']);
  const rest = await listLevel(
    store,
    { prefix: '', limit: 10, until: never, after: first.next ?? '' },
    ctx,
  );
  expect(rest.files.map((file) => file.key)).toEqual(['b', 'c']);
});
