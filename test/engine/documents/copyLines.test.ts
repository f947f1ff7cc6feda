import { mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseDataType } from '../../../core/dataTypes.js';
import type { DataType } from '../../../core/dataTypes.js';
import { copyLinesSql } from '../../../engine/documents/copyLines.js';
import { makeDuckDb } from '../../../engine/duckdb/pool.js';
import type { DuckDb } from '../../../engine/duckdb/program.js';
import { quoteText } from '../../../engine/duckdb/quote.js';
import type { Held } from '../../../engine/files/relation.js';
import { slot } from '../../../engine/transform/relation.js';

let directory: string;
let duckdb: DuckDb;
const { signal } = new AbortController();

beforeAll(async () => {
  directory = await realpath(await mkdtemp(join(tmpdir(), 'lines-')));
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
  await rm(directory, { recursive: true, force: true });
});

const typeOf = (word: string): DataType => {
  const type = parseDataType(word);
  if (!type) throw new Error(`no type ${word}`);
  return type;
};

interface Value {
  name: string;
  type: string;
  held: Held;
  sql: string;
}

const linesOf = async (values: readonly Value[]): Promise<string> => {
  const path = join(directory, 'out.jsonl');
  const columns = values.map(({ name, type, held }) => ({
    name,
    held,
    type: typeOf(type),
    nullable: true,
  }));
  const select = `SELECT ${values.map(({ sql }, at) => `${sql} AS ${slot(at)}`).join(', ')}`;
  const statements = [{ sql: copyLinesSql(select, columns, path) }];
  await duckdb.run({ directory, reads: [], statements }, signal);
  return readFile(path, 'utf8');
};

const written = async (type: string, held: Held, sql: string): Promise<string> => {
  const line = await linesOf([{ name: 'v', type, held, sql }]);
  expect(line).toMatch(/^\{"v":.*\}\n$/s);
  expect(line.split('\n')).toHaveLength(2);
  return line.slice(5, -2);
};

describe('a value that is still text', () => {
  it.each([
    ['boolean', 't', 'true'],
    ['boolean', 'false', 'false'],
    ['smallint', '-7', '-7'],
    ['bigint', '9007199254740993', '9007199254740993'],
    ['bigint', '+5', '5'],
    ['decimal(38,18)', '12345678901234567890.123456789012345678', undefined],
    ['decimal(10,2)', '12.30', undefined],
    ['numeric', '123456789012345678901234567890.000000000000000000001000', undefined],
    ['numeric', 'NaN', '"NaN"'],
    ['numeric', '-Infinity', '"-Infinity"'],
    ['double', '1e+20', undefined],
    ['double', '0.1', undefined],
    ['real', 'Infinity', '"Infinity"'],
    ['text', '', '""'],
    ['text', 'null', '"null"'],
    ['text', 'a"b\\c\n\r\t\u0001\u2028é😀', String.raw`"a\"b\\c\n\r\t\u0001${'\u2028'}é😀"`],
    ['uuid', '0197f5f6-0000-7000-8000-000000000000', '"0197f5f6-0000-7000-8000-000000000000"'],
    ['bytes', '\\x00ff10', '"AP8Q"'],
    ['bytes', '\\x', '""'],
    ['date', '2026-11-21', '"2026-11-21"'],
    ['time', '03:11:21.5', '"03:11:21.5"'],
    ['timestamp', '2026-11-21 03:11:21.123456', '"2026-11-21T03:11:21.123456"'],
    ['timestamp', '12026-11-21 03:11:21', '"12026-11-21T03:11:21"'],
    ['timestamp', 'infinity', '"infinity"'],
    ['timestamp', '0044-03-15 12:00:00 BC', '"0044-03-15 12:00:00 BC"'],
    ['timestamptz', '2026-11-21 03:11:21+00', '"2026-11-21T03:11:21Z"'],
    ['timestamptz', '2026-11-21 03:11:21.5+02', '"2026-11-21T01:11:21.5Z"'],
    ['interval', '1 day 02:03:04', '"1 day 02:03:04"'],
    [
      'json',
      '{"a": 1.10,\n "b": [12345678901234567890.5]}',
      '{"a": 1.10,  "b": [12345678901234567890.5]}',
    ],
    ['json', '"text"', '"text"'],
    ['json', 'null', 'null'],
  ])('%s %j', async (type, text, expected = text) => {
    expect(await written(type, 'text', quoteText(text))).toBe(expected);
  });

  it.each([
    ['bigint', 'seven'],
    ['bigint', '1.5'],
    ['decimal(10,2)', 'x'],
    ['boolean', 'perhaps'],
    ['timestamp', 'yesterday'],
    ['json', '{"a":'],
    ['json', ''],
  ])('is refused where it is no %s: %j', async (type, text) => {
    await expect(written(type, 'text', quoteText(text))).rejects.toMatchObject({
      failure: { code: 'expression_error' },
    });
  });
});

it.each([
  ['boolean', 'true', 'true'],
  ['bigint', '9223372036854775807', '9223372036854775807'],
  [
    'decimal(38,2)',
    "'123456789012345678901234567890.10'::DECIMAL(38,2)",
    '123456789012345678901234567890.10',
  ],
  ['double', "'nan'::DOUBLE", '"NaN"'],
  ['double', '1.5::DOUBLE', '1.5'],
  ['bytes', "'\\x00\\xFF\\x10'::BLOB", '"AP8Q"'],
  ['date', "DATE '2026-11-21'", '"2026-11-21"'],
  ['timestamp', "TIMESTAMP '2026-11-21 03:11:21.5'", '"2026-11-21T03:11:21.5"'],
  ['timestamptz', "TIMESTAMPTZ '2026-11-21 03:11:21.5+02'", '"2026-11-21T01:11:21.5Z"'],
  ['json', "{'a': 1, 'b': [1, 2]}", '{"a":1,"b":[1,2]}'],
  ['json', `'{"a": 1.10}'::JSON`, '{"a": 1.10}'],
])('writes a %s of DuckDB: %s', async (type, sql, expected) => {
  expect(await written(type, 'typed', sql)).toBe(expected);
});

it('writes NULL whatever the type is', async () => {
  const types = [
    'boolean',
    'bigint',
    'decimal(5,2)',
    'double',
    'text',
    'bytes',
    'timestamptz',
    'json',
  ];
  for (const type of types) expect(await written(type, 'text', 'NULL::VARCHAR')).toBe('null');
});

it('writes names as they are, in the order of the columns', async () => {
  const names = ['b', 'a "quoted"', "it's", 'ünï\\'];
  const values = names.map((name) => ({
    name,
    type: 'integer',
    held: 'text' as const,
    sql: "'1'",
  }));
  const line = await linesOf(values);
  expect(Object.entries(JSON.parse(line) as object)).toEqual(names.map((name) => [name, 1]));
});
