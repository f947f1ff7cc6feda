import fc from 'fast-check';
import { makeFilesFixture, readAll, readRange, splitsOf } from './filesFixture.js';
import type { FilesFixture } from './filesFixture.js';

let files: FilesFixture;

beforeAll(async () => {
  files = await makeFilesFixture();
});

afterAll(() => files.close());

const field = fc.oneof(
  fc.constantFrom('""', '"\n\n"', '"1\n2,3\n"', '""""', '","'),
  fc.stringMatching(/^[a-z]{1,20}$/),
);
const csv = fc
  .array(fc.tuple(field, field), { minLength: 1, maxLength: 300 })
  .map((rows) => rows.map((fields) => `${fields.join(',')}\n`).join(''));

it('reads a csv in parts, side by side, as it reads the whole', async () => {
  let run = 0;
  await fc.assert(
    fc.asyncProperty(csv, fc.integer({ min: 10, max: 2000 }), async (rows, targetBytes) => {
      run += 1;
      const path = `split/${run}.csv`;
      await files.put(path, `a,b\n${rows}`);
      const config = { path, options: { header: true, delimiter: ',' } };
      const ranges = await splitsOf(files, config, targetBytes);
      const parts = await Promise.all(ranges.map((range) => readRange(files, range)));
      expect(parts.map(({ text }) => text).join('')).toBe(rows);
      expect(parts.flatMap(({ rejected }) => rejected)).toEqual([]);
    }),
    { numRuns: 60 },
  );
});

it('cuts a large file, and puts small ones together', async () => {
  const rows = Array.from({ length: 5000 }, (_, index) => `${index},${'x'.repeat(100)}\n`);
  await files.put('sizes/b.csv', `id,text\n${rows.join('')}`);
  for (const name of ['a1', 'a2', 'a3', 'c'])
    await files.put(`sizes/${name}.csv`, 'id,text\n1,x\n');
  const ranges = await splitsOf(files, { path: 'sizes/*.csv' }, 100_000);
  const keys = ranges.map((range) =>
    (range['files'] as { key: string }[]).map(({ key }) => key.slice(6, 8)).join(' '),
  );
  expect(keys[0]).toBe('a1 a2 a3');
  expect(keys.at(-1)).toBe('c.');
  expect(keys.filter((key) => key === 'b.').length).toBeGreaterThanOrEqual(5);
  expect((await readAll(files, { path: 'sizes/*.csv' }, 100_000)).rows).toBe(5004);
});

it('lets a row go that is larger than rows may be, in every format of text', async () => {
  const small = await makeFilesFixture(3 * 1024 * 1024);
  const large = 'x'.repeat(4 * 1024 * 1024);
  const kept = 'y'.repeat(2.5 * 1024 * 1024);
  await small.put('a.csv', `a,b\n1,z\n2,${large}\n3,${kept}\n`);
  await small.put('b.csv', `a;b\n1;z\n2;${large}\n3;${kept}\n`);
  await small.put('c.jsonl', `{"a":1,"b":"z"}\n{"a":2,"b":"${large}"}\n{"a":3,"b":"${kept}"}\n`);
  for (const path of ['a.csv', 'b.csv', 'c.jsonl']) {
    const { text, rejected } = await readAll(small, { path });
    expect(text === `1,z\n3,${kept}\n`).toBe(true);
    expect(rejected).toMatchObject([{ row: 1, code: 'row_too_large' }]);
  }
  await small.close();
});
