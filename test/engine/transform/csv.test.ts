import { createReadStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import fc from 'fast-check';
import pg from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { parseDataType } from '../../../core/dataTypes.js';
import type { DataType } from '../../../core/dataTypes.js';
import { isDataError } from '../../../engine/duckdb/failure.js';
import type { DuckDb } from '../../../engine/duckdb/program.js';
import { dataTypeOf } from '../../../engine/duckdb/types.js';
import { copyCsvSql, readCsvSql } from '../../../engine/transform/csv.js';
import { slot } from '../../../engine/transform/relation.js';
import type { RelationColumn } from '../../../engine/transform/relation.js';
import { toTyped } from '../../../engine/transform/toTyped.js';
import { createEmptyDatabase } from '../../support/database.js';
import type { TestDatabase } from '../../support/database.js';
import { makeScratch, openDuckDb } from '../duckdb/opened.js';
import type { Scratch } from '../duckdb/opened.js';
import { csvOf } from './running.js';

/** Values as PostgreSQL has them, through DuckDB as values of its own and back. */
let database: TestDatabase;
let client: pg.Client;
let duck: DuckDb;
let scratch: Scratch;

beforeAll(async () => {
  database = await createEmptyDatabase();
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
  // As the connector sets them.
  await client.query(
    `set datestyle = 'ISO, YMD'; set intervalstyle = 'postgres_verbose'; set timezone = 'UTC';
     set extra_float_digits = 1; set bytea_output = 'hex'`,
  );
  duck = openDuckDb();
  scratch = await makeScratch();
});

afterAll(async () => {
  await duck.close();
  await client.end();
  await database.drop();
  await scratch.remove();
});

interface Trip {
  before: (string | null)[];
  after: (string | null)[];
}

const identity = (file: string, target: string, type: DataType, typed: boolean): string => {
  const columns: RelationColumn[] = ['v', 'n'].map((name) => ({
    name,
    type: name === 'v' ? type : { kind: 'integer' },
    nullable: true,
    held: name === 'v' && typed ? 'typed' : 'text',
  }));
  const rows = readCsvSql(file, columns, { maxRowBytes: 1_000_000 });
  const value = typed ? toTyped(slot(0), type) : slot(0);
  const sql = `SELECT ${value} AS ${slot(0)}, ${slot(1)} FROM (${rows})`;
  return copyCsvSql(sql, columns, target);
};

const textsIn = async (name: string): Promise<(string | null)[]> => {
  const { rows } = await client.query<{ v: string | null }>(
    `select v::text as v from ${name} order by n`,
  );
  return rows.map(({ v }) => v);
};

const roundTrip = async (
  pgType: string,
  type: DataType,
  literals: readonly (string | null)[],
  typed: boolean,
): Promise<Trip> => {
  const source = path.join(scratch.directory, 'source.csv');
  const target = path.join(scratch.directory, 'target.csv');
  await client.query(
    `drop table if exists one, two; create table one (v ${pgType}, n int);
     create table two (v ${pgType}, n int)`,
  );
  const rows = literals.map((literal, index) => [literal, `${index}`]);
  await pipeline(
    Readable.from([csvOf(rows)]),
    client.query(copyFrom('copy one from stdin (format csv)')),
  );
  const chunks: Buffer[] = [];
  for await (const chunk of client.query(copyTo('copy one to stdout (format csv)'))) {
    chunks.push(chunk as Buffer);
  }
  await writeFile(source, Buffer.concat(chunks));
  const { signal } = new AbortController();
  const statements = [{ sql: identity(source, target, type, typed) }];
  await duck.run({ directory: scratch.directory, reads: [], statements }, signal);
  await pipeline(
    createReadStream(target),
    client.query(copyFrom('copy two from stdin (format csv)')),
  );
  return { before: await textsIn('one'), after: await textsIn('two') };
};

const digits = (most: number) =>
  fc.bigInt({ min: -(10n ** BigInt(most)) + 1n, max: 10n ** BigInt(most) - 1n });
const integer = (bits: number) =>
  fc
    .bigInt({ min: -(2n ** BigInt(bits - 1)), max: 2n ** BigInt(bits - 1) - 1n })
    .map((value) => `${value}`);
const decimal = (precision: number, scale: number) =>
  digits(precision).map((value) => {
    const text = `${value < 0n ? -value : value}`.padStart(scale + 1, '0');
    return `${value < 0n ? '-' : ''}${text.slice(0, -scale)}.${text.slice(-scale)}`;
  });
const padded = (value: number, width: number) => `${value}`.padStart(width, '0');
const clock = fc
  .tuple(
    fc.integer({ min: 0, max: 23 }),
    fc.integer({ min: 0, max: 59 }),
    fc.integer({ min: 0, max: 59 }),
    fc.integer({ min: 0, max: 999_999 }),
  )
  .map(([h, m, s, f]) => `${padded(h, 2)}:${padded(m, 2)}:${padded(s, 2)}.${padded(f, 6)}`);
const era = fc.constantFrom('', '', ' BC');
const day = (lastYear: number) =>
  fc
    .tuple(
      fc.integer({ min: 1, max: lastYear }),
      fc.integer({ min: 1, max: 12 }),
      fc.integer({ min: 1, max: 28 }),
    )
    .map(([year, month, date]) => `${padded(year, 4)}-${padded(month, 2)}-${padded(date, 2)}`);
const oldest = 4_713;
const date = (last: number) =>
  fc.tuple(era, day(oldest - 1), day(last)).map(([e, old, any]) => `${e ? old : any}${e}`);
const moment = (zone: string) =>
  fc
    .tuple(era, day(oldest - 1), day(294_246), clock)
    .map(([e, old, any, time]) => `${e ? old : any} ${time}${zone}${e}`);
const endless = fc.constantFrom('infinity', '-infinity');
const part = (most: number) => fc.integer({ min: -most, max: most });
const interval = fc
  .tuple(
    part(170_000_000),
    part(11),
    part(2_000_000_000),
    part(2_000_000),
    part(59),
    part(59_999_999),
  )
  .map(
    ([y, m, d, h, minutes, micros]) =>
      `${y} years ${m} mons ${d} days ${h} hours ${minutes} mins ${micros} microseconds`,
  );
const words = fc.string({
  unit: fc.constantFrom('a', '"', ',', '\n', '\r', '\\', '.', ' ', 'é', '\u{1f600}', "'", 'N'),
});

interface Kind {
  pg: string;
  values: fc.Arbitrary<string>;
}

const kinds: Readonly<Record<string, Kind>> = {
  boolean: { pg: 'boolean', values: fc.constantFrom('t', 'f') },
  smallint: { pg: 'smallint', values: integer(16) },
  integer: { pg: 'integer', values: integer(32) },
  bigint: { pg: 'bigint', values: integer(64) },
  real: {
    pg: 'real',
    values: fc.oneof(fc.float().map(String), fc.constantFrom('-0', 'Infinity', 'NaN')),
  },
  double: {
    pg: 'double precision',
    values: fc.oneof(fc.double().map(String), fc.constantFrom('-0', '5e-324', '-Infinity')),
  },
  text: { pg: 'text', values: fc.oneof(words, fc.constantFrom('', 'NULL', '\\N', '\\.', ' ')) },
  bytes: {
    pg: 'bytea',
    values: fc.uint8Array().map((bytes) => `\\x${Buffer.from(bytes).toString('hex')}`),
  },
  uuid: { pg: 'uuid', values: fc.uuid() },
  date: { pg: 'date', values: fc.oneof(date(5_870_000), endless) },
  time: { pg: 'time', values: fc.oneof(clock, fc.constant('24:00:00')) },
  timestamp: { pg: 'timestamp', values: fc.oneof(moment(''), endless) },
  timestamptz: {
    pg: 'timestamptz',
    values: fc.oneof(moment('+00'), moment('-11:30'), endless),
  },
  interval: { pg: 'interval', values: interval },
  'decimal(18,4)': { pg: 'numeric(18,4)', values: decimal(18, 4) },
  'decimal(38,10)': { pg: 'numeric(38,10)', values: decimal(38, 10) },
  'decimal(38,0)': { pg: 'numeric(38,0)', values: digits(38).map(String) },
  json: { pg: 'json', values: fc.json().filter((text) => !text.includes('\\u0000')) },
};

it.each(Object.entries(kinds))(
  'gives every %s back as it was, as text and as a value',
  async (word, { pg: pgType, values }) => {
    const type = parseDataType(word);
    if (!type) throw new Error(`no type ${word}`);
    const some = fc.array(fc.option(values, { freq: 10 }), { minLength: 50, maxLength: 150 });
    await fc.assert(
      fc.asyncProperty(some, fc.boolean(), async (literals, typed) => {
        const { before, after } = await roundTrip(pgType, type, literals, typed);
        expect(after).toEqual(before);
      }),
      { numRuns: 12 },
    );
  },
);

it('reads intervals in ISO 8601, too', async () => {
  const file = path.join(scratch.directory, 'iso.csv');
  const values = ['P1Y2M3DT4H5M6.789S', 'PT-0.000001S', 'P-1Y2M-3D', 'P2W', 'PT0S', 'PT5M'];
  await writeFile(file, csvOf(values.map((value) => [value])));
  const rows = readCsvSql(file, [{}], { maxRowBytes: 1_000 });
  const sql = `SELECT CAST(${toTyped(slot(0), { kind: 'interval' })} AS VARCHAR) FROM (${rows})`;
  const program = { directory: scratch.directory, reads: [], statements: [{ sql }] };
  const [result] = await duck.run(program, new AbortController().signal);
  const { rows: wanted } = await client.query<{ v: string }>(
    `select (extract(epoch from v::interval))::text as v from unnest($1::text[]) v`,
    [values],
  );
  const { rows: got } = await client.query<{ v: string }>(
    `select (extract(epoch from v::interval))::text as v from unnest($1::text[]) v`,
    [result?.rows.flat()],
  );
  expect(got).toEqual(wanted);
});

it.each([
  [
    "'340282366920938463463374607431768211455'::UHUGEINT",
    'numeric',
    '340282366920938463463374607431768211455',
  ],
  ["TIMESTAMP_NS '2024-01-02 03:04:05.123456'", 'timestamp', '2024-01-02 03:04:05.123456'],
  ["TIMESTAMP_S '0044-03-15 (BC) 00:00:00'", 'timestamp', '0044-03-15 00:00:00 BC'],
  ["TIMETZ '10:00:00+02'", 'timetz', '10:00:00+02'],
  ["'b'::ENUM ('a', 'b')", 'text', 'b'],
  ["[{'a': 1.50, 'b': NULL}]", 'jsonb', '[{"a": 1.5, "b": null}]'],
  ["MAP {'k': DATE '2024-01-02'}", 'jsonb', '{"k": "2024-01-02"}'],
  ["'[1e+400, 1.10]'::JSON", 'json', '[1e+400, 1.10]'],
  ["'\\xAA\\x00'::BLOB", 'bytea', '\\xaa00'],
])('writes %s as a %s that PostgreSQL reads', async (expression, pgType, wanted) => {
  const target = path.join(scratch.directory, 'odd.csv');
  const sql = `SELECT ${expression} AS ${slot(0)}, 1 AS ${slot(1)}`;
  const { signal } = new AbortController();
  const program = (statement: string) => ({
    directory: scratch.directory,
    reads: [],
    statements: [{ sql: statement }],
  });
  const [described] = await duck.run(program(`DESCRIBE ${sql}`), signal);
  const columns = (described?.rows ?? []).map(([name, type]): RelationColumn => ({
    name: String(name),
    type: dataTypeOf(String(type)),
    nullable: true,
    held: 'typed',
  }));
  await duck.run(program(copyCsvSql(sql, columns, target)), signal);
  await client.query(`drop table if exists odd; create table odd (v ${pgType}, n int)`);
  await pipeline(
    createReadStream(target),
    client.query(copyFrom('copy odd from stdin (format csv)')),
  );
  const { rows } = await client.query<{ v: string }>('select v::text as v from odd');
  expect(rows).toEqual([{ v: wanted }]);
});

it('keeps as text what DuckDB has no value for', async () => {
  const cases: [string, string, string[]][] = [
    ['numeric', 'numeric', ['NaN', 'Infinity', `1${'0'.repeat(400)}.50`, '1.10']],
    ['interval', 'interval', ['infinity', '-178000000 years']],
    ['timestamp', 'timestamp', ['294276-12-31 23:59:59', '4713-01-01 00:00:00 BC']],
  ];
  for (const [pgType, word, values] of cases) {
    const { before, after } = await roundTrip(
      pgType,
      parseDataType(word) as DataType,
      values,
      false,
    );
    expect(after).toEqual(before);
  }
});

it.each([
  ['interval', 'interval', 'infinity'],
  ['timestamp', 'timestamp', '294276-12-31 23:59:59'],
  ['numeric', 'numeric', `1${'0'.repeat(400)}`],
  ['numeric', 'decimal(10,2)', 'NaN'],
])('calls a %s that it cannot hold a fault of the row', async (pgType, word, value) => {
  const trip = roundTrip(pgType, parseDataType(word) as DataType, [value], true);
  const error: unknown = await trip.catch((reason: unknown) => reason);
  expect(isDataError(error)).toBe(true);
});

it('reads rows as long as the longest that is allowed, and none that is longer', async () => {
  const file = path.join(scratch.directory, 'long.csv');
  const maxRowBytes = 9 * 1024 * 1024;
  const lengths = [3, maxRowBytes - 100, 1, 5_000_000, maxRowBytes - 100, 7_000_000, 2];
  const ended = [...lengths, maxRowBytes + 1_000_000];
  const lines = (all: readonly number[]) => csvOf(all.map((length) => ['x'.repeat(length), 'y']));
  const program = () => ({
    directory: scratch.directory,
    reads: [],
    statements: [
      { sql: `SELECT length(${slot(0)}) FROM (${readCsvSql(file, [{}, {}], { maxRowBytes })})` },
    ],
  });
  const { signal } = new AbortController();
  await writeFile(file, lines(lengths));
  const [result] = await duck.run(program(), signal);
  expect(result?.rows.flat()).toEqual(lengths);
  await writeFile(file, lines(ended));
  const error: unknown = await duck.run(program(), signal).catch((reason: unknown) => reason);
  expect(isDataError(error)).toBe(true);
});

it('quotes a lone column that would end the input', async () => {
  const source = path.join(scratch.directory, 'lone.csv');
  const target = path.join(scratch.directory, 'loneOut.csv');
  await writeFile(source, '"\\."\n\n""\na\n');
  const columns: RelationColumn[] = [
    { name: 'v', type: { kind: 'text' }, nullable: true, held: 'text' },
  ];
  const sql = readCsvSql(source, columns, { maxRowBytes: 1_000 });
  const statements = [{ sql: copyCsvSql(sql, columns, target) }];
  const program = { directory: scratch.directory, reads: [], statements };
  await duck.run(program, new AbortController().signal);
  await client.query('create table lone (v text)');
  await pipeline(
    createReadStream(target),
    client.query(copyFrom('copy lone from stdin (format csv)')),
  );
  const { rows } = await client.query<{ v: string | null }>('select v from lone');
  expect(rows.map(({ v }) => v)).toEqual(['\\.', null, '', 'a']);
});
