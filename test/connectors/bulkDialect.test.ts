import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import fc from 'fast-check';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { nativeType } from '../../connectors/postgres/types.js';
import { parseDataType } from '../../core/dataTypes.js';
import { inlineField } from '../../core/generate/inlineField.js';
import { allColumns } from '../core/generate/columns.js';
import { createEmptyDatabase } from '../support/database.js';
import type { TestDatabase } from '../support/database.js';
import { columnsOf, openSource, readOf, rows } from './sources.js';

/** What core says is a value of a type, PostgreSQL has to take as one. */
let database: TestDatabase;
let client: pg.Client;

beforeAll(async () => {
  database = await createEmptyDatabase();
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
});

afterAll(async () => {
  await client.end();
  await database.drop();
});

const copy = async (table: string, chunks: Iterable<string> | AsyncIterable<Buffer>) => {
  const into = client.query(copyFrom(`copy ${table} from stdin (format csv)`));
  await pipeline(Readable.from(chunks), into);
  return into.rowCount;
};

const near = (form: RegExp) => fc.stringMatching(form);
const moment =
  /^[0-9]{4}-[01][0-9]-[0-3][0-9][T ][0-2][0-9]:[0-6][0-9](:[0-6][0-9](\.[0-9]{1,7})?)?/;
const whole = fc.oneof(fc.maxSafeInteger(), fc.integer(), near(/^[+-]?[0-9]{1,20}$/));
const real = fc.oneof(
  fc.double(),
  near(/^-?[0-9]{1,3}(\.[0-9]{0,4})?[eE][+-]?[0-9]{1,3}$/),
  fc.constantFrom('NaN', '-Infinity', 'inf', 'infinity', '1e-45', '1e-46', '3.5e38', '5e-324'),
);

const values: Record<string, fc.Arbitrary<unknown>> = {
  boolean: fc.oneof(fc.boolean(), fc.constantFrom('t', 'yes', 1)),
  smallint: fc.oneof(whole, fc.integer({ min: -40_000, max: 40_000 })),
  integer: whole,
  bigint: whole,
  'decimal(7,3)': fc.oneof(fc.double(), near(/^[+-]?[0-9]{0,6}\.?[0-9]{0,5}$/)),
  'decimal(40,0)': near(/^-?[0-9]{30,41}$/),
  real,
  double: real,
  text: fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', '\r', '\\', '.', '\0', '\ud800') }),
  bytes: fc.oneof(
    fc.uint8Array().map((bytes) => Buffer.from(bytes).toString('base64')),
    near(/^[A-Za-z0-9+/]{0,9}={0,2}$/),
  ),
  uuid: fc.oneof(fc.uuid(), near(/^[0-9a-fA-F-]{36}$/)),
  date: near(/^[0-9]{4}-[01][0-9]-[0-3][0-9]$/),
  time: near(/^[0-2][0-9]:[0-6][0-9](:[0-6][0-9](\.[0-9]{1,7})?)?$/),
  timestamp: near(new RegExp(`${moment.source}$`)),
  timestamptz: near(new RegExp(`${moment.source}(Z|[+-][0-2][0-9](:?[0-9]{2})?)$`)),
  json: fc.oneof(fc.jsonValue(), fc.constantFrom('\u0000', { '\ud800': 1 }, '\\u0000', 1e308)),
};

it.each(Object.entries(values))('takes every %s that we take', async (word, value) => {
  const type = parseDataType(word);
  if (!type) throw new Error(`no type ${word}`);
  await client.query(`create table if not exists "${word}" (v ${nativeType(type)})`);
  let taken = 0;
  const some = fc.array(fc.option(value, { freq: 10 }), { minLength: 20, maxLength: 100 });
  await fc.assert(
    fc.asyncProperty(some, async (cells) => {
      const good = cells.filter((cell) => inlineField(type, cell) !== undefined);
      const lines = good.map((cell) => `${inlineField(type, cell) ?? ''}\n`);
      taken += good.filter((cell) => cell !== null).length;
      await client.query(`truncate "${word}"`);
      expect(await copy(`"${word}"`, [lines.join('')])).toBe(good.length);
      const { rows: read } = await client.query<{ v: string | null }>(`select v from "${word}"`);
      expect(read.filter(({ v }) => v === null)).toHaveLength(
        good.filter((cell) => cell === null).length,
      );
      if (word === 'text') expect(read.map(({ v }) => v)).toEqual(good);
    }),
    { numRuns: 20 },
  );
  expect(taken).toBeGreaterThan(20);
});

it('takes generated rows of every generator, as the types they are declared with', async () => {
  const source = await openSource('generate');
  const config = { rows: 3_000, seed: 11, columns: allColumns };
  const columns = await columnsOf(source, config);
  const lines = columns.map(
    ({ name, type, nullable }) => `"${name}" ${nativeType(type)}${nullable ? '' : ' not null'}`,
  );
  await client.query(`create table made (${lines.join(', ')})`);
  const read = readOf(source, config, rows(0, 3_000));
  expect(await copy('made', read.chunks)).toBe(3_000);
  expect(read.counts().rows).toBe(3_000);
  const { rows: found } = await client.query<Record<string, string>>(
    `select count(*)::int as rows, count(distinct uuid)::int as uuids,
            min(amount)::text as least, max(amount)::text as most,
            count(*) filter (where note = '')::int > 0 as "hasEmpty",
            max(tick) - min(tick) = interval '2999 seconds' as ticks
       from made`,
  );
  expect(found).toEqual([
    { rows: 3_000, uuids: 3_000, least: '-1.10', most: '0.29', hasEmpty: true, ticks: true },
  ]);
});
