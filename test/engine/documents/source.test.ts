import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BadRow, CallContext, Column } from '../../../connectors/connector.js';
import type { DocumentSource } from '../../../connectors/documents.js';
import { makeDocumentSource } from '../../../engine/documents/source.js';
import { makeDuckDb } from '../../../engine/duckdb/pool.js';
import type { DuckDb } from '../../../engine/duckdb/program.js';
import { typeWord } from '../../../engine/files/fileRange.js';
import { makeScratch } from '../../../engine/staging/scratch.js';
import type { MakeScratch } from '../../../engine/staging/scratch.js';

let base: string;
let duckdb: DuckDb;
let scratch: MakeScratch;

beforeAll(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), 'documents-')));
  scratch = await makeScratch(join(base, 'scratch'));
  duckdb = makeDuckDb({
    slots: 1,
    memoryBytes: 512 * 1024 * 1024,
    timeoutMs: 60_000,
    maxRows: 1_000,
    childFile: join(__dirname, '../../../dist/engine/duckdb/child.js'),
  });
});

afterAll(async () => {
  await duckdb.close();
  await rm(base, { recursive: true, force: true });
});

const ctx: CallContext = {
  signal: new AbortController().signal,
  log: { info: () => undefined, warn: () => undefined },
};

/** Lines that come in chunks of any size. */
const linesSource = (text: string, fixed?: readonly Column[]): DocumentSource => {
  async function* lines(): AsyncGenerator<Buffer> {
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; at += 5) yield bytes.subarray(at, at + 5);
  }
  return {
    ...(fixed === undefined ? {} : { fixed }),
    splits: async () => ({ ranges: [{}] }),
    sample: lines,
    read: lines,
  };
};

interface Found {
  columns: string[];
  rows: readonly (readonly unknown[])[];
  bad: readonly BadRow[];
}

const readAll = async (source: DocumentSource, config: object = {}): Promise<Found> => {
  const made = makeDocumentSource(source, { duckdb, scratch, maxRowBytes: 1_000 });
  const { columns } = await made.facts({ config }, ctx);
  // As it is kept between planning and reading.
  const planned = JSON.parse(JSON.stringify(columns)) as Column[];
  const { path: directory, remove } = await scratch('test');
  try {
    const relation = await made.relation({ config }, {}, directory, ctx, planned);
    const { sql, reads, kept, rejectedSql, rejectedRows } = relation;
    expect(relation.columns).toEqual(planned);
    const statements = [sql, rejectedSql ?? ''].map((one) => ({ sql: one }));
    const [rows, rejected] = await duckdb.run({ directory, reads, statements }, ctx.signal);
    return {
      columns: columns.map(({ name, type }) => `${name} ${typeWord(type)}`),
      rows: rows?.rows ?? [],
      bad: [...kept, ...(rejected ? rejectedRows(rejected) : [])],
    };
  } finally {
    await remove();
  }
};

it('finds the columns out from a sample, and keeps whole numbers and nested values', async () => {
  const found = await readAll(
    linesSource(
      '{"id":9007199254740993,"n":1.5,"at":"2026-11-21T03:00:00Z","tags":["a",1.10],"t":true}\n' +
        '{"id":2,"n":2,"at":null,"tags":"x","wide":12345678901234567890123}\n',
    ),
  );
  expect(found).toEqual({
    columns: [
      'id bigint',
      'n double',
      'at timestamptz',
      'tags json',
      't boolean',
      'wide decimal(38,0)',
    ],
    rows: [
      ['9007199254740993', '1.5', '2026-11-21T03:00:00Z', '["a",1.10]', 'true', null],
      ['2', '2', null, '"x"', null, '12345678901234567890123'],
    ],
    bad: [],
  });
});

it('keeps every digit where columns are listed', async () => {
  const columns = [
    { name: 'amount', type: 'decimal(38,18)' },
    { name: 'free', type: 'numeric' },
    { name: 'word', type: 'text' },
    { name: 'all', type: 'json' },
    { name: 'missing', type: 'text' },
  ];
  const line =
    '{"amount":12345678901234567890.123456789012345678,"free":1.10,"word":2.50,' +
    '"all":{"x": 1.10, "y": [12345678901234567890.5, null]},"other":1}\n';
  const found = await readAll(linesSource(line), { columns });
  expect(found.columns).toEqual(columns.map(({ name, type }) => `${name} ${type}`));
  expect(found.rows).toEqual([
    [
      '12345678901234567890.123456789012345678',
      '1.10',
      '2.50',
      '{"x": 1.10, "y": [12345678901234567890.5, null]}',
      null,
    ],
  ]);
});

it('tells members apart that differ in capitals only', async () => {
  const found = await readAll(linesSource('{"id":1,"ID":"a","":true}\n'));
  expect(found.columns).toEqual(['id bigint', 'ID_1 text', 'column2 boolean']);
  expect(found.rows).toEqual([['1', 'a', 'true']]);
});

it('has columns that records always have first, with the types they always have', async () => {
  const fixed: Column[] = [
    { name: 'offset', type: { kind: 'bigint' }, nullable: false },
    { name: 'key', type: { kind: 'text' }, nullable: true },
  ];
  const found = await readAll(linesSource('{"v":1,"offset":"7","key":5}\n', fixed));
  expect(found.columns).toEqual(['offset bigint', 'key text', 'v bigint']);
  expect(found.rows).toEqual([['7', '5', '1']]);
  expect((await readAll(linesSource('', fixed))).columns).toEqual(['offset bigint', 'key text']);
});

it('sets aside what is no record, by its place', async () => {
  const large = `{"id":"${'x'.repeat(2_000)}"}`;
  const lines = ['{"id":1}', '[1]', '{"id":2', large, '5', '{"id":3}', '\u0000{"id":4}', 'null'];
  const found = await readAll(linesSource(`${lines.join('\n')}\n`), {
    columns: [{ name: 'id', type: 'bigint' }],
  });
  expect(found.rows).toEqual([['1'], ['3']]);
  const places = [...found.bad].sort((a, b) => a.row - b.row).map(({ row, code }) => [row, code]);
  expect(places).toEqual([
    [1, 'malformed'],
    [2, 'malformed'],
    [3, 'row_too_large'],
    [4, 'malformed'],
    [6, 'malformed'],
    [7, 'malformed'],
  ]);
});

it('cannot say which columns there are where there is nothing', async () => {
  await expect(readAll(linesSource(''))).rejects.toMatchObject({
    failure: { code: 'config_invalid', message: expect.stringContaining('`columns`') as string },
  });
});
