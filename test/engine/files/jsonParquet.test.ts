import { gzipSync } from 'node:zlib';
import {
  columnsOf,
  context,
  makeFilesFixture,
  readAll,
  readRelation,
  splitsOf,
} from './filesFixture.js';
import type { FilesFixture } from './filesFixture.js';

let files: FilesFixture;

beforeAll(async () => {
  files = await makeFilesFixture();
});

afterAll(() => files.close());

/** Has DuckDB write a file into the store. */
const write = async (key: string, sql: string, options: string): Promise<void> => {
  await files.put(key, '');
  const copy = `COPY (${sql}) TO '${files.root}/${key}' (${options})`;
  const program = { directory: files.root, reads: [], statements: [{ sql: copy }] };
  await files.duckdb.run(program, context().signal);
};

const objects = [
  '{"id":1,"zip":"007","n":1.5,"day":"2024-01-01","tags":["a"],"big":12345678901234567890123}',
  '{"id":9007199254740993,"zip":"1","n":2,"day":null,"tags":{"x":1},"a/b~c\\"d":true,"":0}',
];
const columns = [
  'id bigint',
  'zip text',
  'n double',
  'day date',
  'tags json',
  'big decimal(38,0)',
  'a/b~c"d boolean',
  'column7 bigint',
];
const bulk =
  '1,007,1.5,2024-01-01,"[""a""]",12345678901234567890123,,\n' +
  '9007199254740993,1,2,,"{""x"":1}",,true,0\n';

describe.each([
  ['lines.jsonl', `${objects.join('\n')}\n`],
  ['last.ndjson', objects.join('\r\n')],
  ['array.json', `[${objects.join(',\n')}]`],
  ['pretty.json', `\n[ ${objects.join(' ,').replaceAll(',"', ',\n  "')} ]\n`],
])('%s', (key, text) => {
  it('has the members of its objects as columns', async () => {
    await files.put(key, text);
    expect(await columnsOf(files, { path: key })).toEqual(columns);
    expect(await readAll(files, { path: key })).toEqual({ text: bulk, rows: 2, rejected: [] });
  });

  it('says the same compressed with gzip', async () => {
    await files.put(`${key}.gz`, gzipSync(text));
    expect((await readAll(files, { path: `${key}.gz` })).text).toBe(bulk);
  });
});

it('reads JSON compressed with zstd', async () => {
  for (const [key, array] of [
    ['z/a.jsonl.zst', 'false'],
    ['z/a.json.zst', 'true'],
  ]) {
    const sql = `SELECT 1 AS a, 'x' AS b`;
    await write(key ?? '', sql, `FORMAT json, ARRAY ${array}, COMPRESSION zstd`);
    expect((await readAll(files, { path: key ?? '' })).text).toBe('1,x\n');
  }
});

it('keeps lines aside that are no objects, with their place', async () => {
  const lines = ['{"a":1}', '{bad', '', '{"a":2}', '[1]', '5', `{"a":"${'x'.repeat(50)}"}`, 'null'];
  await files.put(
    'bad.jsonl',
    Buffer.concat([Buffer.from(lines.join('\n')), Buffer.from('\n\xff\n', 'latin1')]),
  );
  const { text, rejected } = await readAll(files, { path: 'bad.jsonl' });
  expect(text).toBe(`1\n2\n${'x'.repeat(50)}\n`);
  expect(rejected.map(({ row }) => row).sort()).toEqual([1, 3, 4, 6, 7]);
  const [range] = await splitsOf(files, { path: 'bad.jsonl' });
  const relation = await readRelation(files, range ?? {});
  expect(relation.rows).toHaveLength(3);
  expect(relation.rejected.map(({ row }) => row).sort()).toEqual([1, 3, 4, 6, 7]);
});

it('counts places over all files of a split', async () => {
  await files.put('several/1.jsonl', '{"a":1}\nx\n');
  await files.put('several/2.jsonl', 'y\n{"a":2}\n');
  const [range, ...others] = await splitsOf(files, { path: 'several/*' });
  expect(others).toEqual([]);
  const { rows, rejected } = await readRelation(files, range ?? {});
  expect(rows).toEqual([['1'], ['2']]);
  expect(rejected.map(({ row }) => row)).toEqual([1, 2]);
  const read = await readAll(files, { path: 'several/*' });
  expect(read.text).toBe('1\n2\n');
  expect(read.rejected.map(({ row }) => row)).toEqual([1, 2]);
});

describe('Parquet', () => {
  it('keeps its types, and has values nested in others as JSON', async () => {
    const sql =
      `SELECT 1::SMALLINT AS s, 2::INTEGER AS i, 1.50::DECIMAL(9,2) AS d, 'x' AS t, '\\x00\\xFF'::BLOB AS b, ` +
      `DATE '2024-01-01' AS day, TIMESTAMP '2024-01-01 10:00:00.123456' AS m, {'a': [1, 2]} AS n, ` +
      `12345678901234567890::UBIGINT u, NULL::INTEGER z, '' e`;
    await write('p/a.parquet', sql, 'FORMAT parquet');
    expect(await columnsOf(files, { path: 'p/a.parquet' })).toEqual([
      's smallint',
      'i integer',
      'd decimal(9,2)',
      't text',
      'b bytes',
      'day date',
      'm timestamp',
      'n json',
      'u decimal(20,0)',
      'z integer',
      'e text',
    ]);
    expect((await readAll(files, { path: 'p/a.parquet' })).text).toBe(
      '1,2,1.50,x,\\x00ff,2024-01-01,2024-01-01 10:00:00.123456,"{""a"":[1,2]}",' +
        '12345678901234567890,,""\n',
    );
  });

  it('takes columns of several files by name, each in the wider type', async () => {
    await write('q/1.parquet', 'SELECT 1::INTEGER a, 1::DECIMAL(5,2) b', 'FORMAT parquet');
    await write('q/2.parquet', `SELECT 2::BIGINT b, 'x' c, 3::BIGINT A`, 'FORMAT parquet');
    expect(await columnsOf(files, { path: 'q/*.parquet' })).toEqual([
      'a bigint',
      'b decimal(21,2)',
      'c text',
    ]);
    // Alike, and with one between them that is not: in the order of their names all the same.
    await write('q/3.parquet', `SELECT 4::BIGINT b, 'y' c, 5::BIGINT A`, 'FORMAT parquet');
    await write('q/4.parquet', `SELECT 'z' c, 6::BIGINT b, 7::BIGINT A`, 'FORMAT parquet');
    await write('q/5.parquet', `SELECT 8::BIGINT b, 'w' c, 9::BIGINT A`, 'FORMAT parquet');
    expect((await readAll(files, { path: 'q/*.parquet' })).text).toBe(
      '1,1.00,\n3,2.00,x\n5,4.00,y\n7,6.00,z\n9,8.00,w\n',
    );
  });

  it('is read by groups of rows where it is large', async () => {
    const sql = 'SELECT i, hash(i)::VARCHAR h FROM range(20000) t(i)';
    await write('r/a.parquet', sql, 'FORMAT parquet, ROW_GROUP_SIZE 2048');
    const ranges = await splitsOf(files, { path: 'r/a.parquet' }, 50_000);
    expect(ranges.length).toBeGreaterThan(3);
    const read = await readAll(files, { path: 'r/a.parquet' }, 50_000);
    expect(read.rows).toBe(20_000);
    expect(read.text).toBe((await readAll(files, { path: 'r/a.parquet' })).text);
  });

  it('has no rows where it has none', async () => {
    await write('s/a.parquet', 'SELECT 1 a WHERE false', 'FORMAT parquet');
    expect(await readAll(files, { path: 's/a.parquet' })).toEqual({
      text: '',
      rows: 0,
      rejected: [],
    });
  });
});

it('asks which format files have whose names do not say it, or say different ones', async () => {
  await files.put('odd/a.bin', 'a,b\n1,2\n');
  await expect(columnsOf(files, { path: 'odd/*' })).rejects.toThrow('set format');
  expect(await columnsOf(files, { path: 'odd/*', format: 'csv' })).toEqual([
    'a bigint',
    'b bigint',
  ]);
  await files.put('odd2/a.csv', 'a,b\n1,2\n');
  await files.put('odd2/a.jsonl', '{}\n');
  await expect(columnsOf(files, { path: 'odd2/*' })).rejects.toThrow('several formats');
});

it.each(['[{"a":1},', '[{"a":1}] x', '{"a":', 'nonsense'])('refuses %j as JSON', async (text) => {
  await files.put('broken.json', text);
  await files.put('broken.json.gz', gzipSync(text));
  for (const path of ['broken.json', 'broken.json.gz']) {
    await expect(columnsOf(files, { path })).rejects.toMatchObject({
      failure: { code: 'config_invalid', class: 'config' },
    });
  }
});
