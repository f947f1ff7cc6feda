import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { from as copyFrom } from 'pg-copy-streams';
import type { SourceConfig } from '../../../connectors/tableNodes.js';
import type { SourceDatabase } from './sourceTesting.js';
import {
  bytesOf,
  context,
  failureOf,
  rangesOf,
  readWhole,
  rowsOf,
  startSourceDatabase,
} from './sourceTesting.js';

let database: SourceDatabase;
beforeAll(async () => {
  database = await startSourceDatabase();
});
afterAll(() => database.drop());

const read = (config: SourceConfig) => readWhole(database.source, { config });

const types: readonly [type: string, ...values: string[]][] = [
  ['smallint', '-32768', '32767'],
  ['integer', '-2147483648', '0'],
  ['bigint', '9223372036854775807', '-9223372036854775808'],
  ['oid', '4294967295'],
  ['real', '1e-37', 'NaN', '-Infinity', '0.1'],
  ['double precision', '0.1', '5e-324', '1.7976931348623157e308', '-0'],
  ['numeric', '12345678901234567890.123456789012345678901234567890', 'NaN', 'Infinity'],
  ['numeric(12,2)', '1234567890.12', '-0.01'],
  ['numeric(3,-2)', '12345'],
  ['money', '1234.5'],
  ['text', '', ' ', 'a,"b"\nc\\.', '\\N', 'żółć 🦉', '\\.'],
  ['varchar(5)', 'ab', ''],
  ['char(5)', 'ab', ''],
  ['name', 'x'],
  ['"char"', 'c'],
  ['bytea', '\\x00ff', ''],
  ['uuid', '0197f5f6-0000-7000-8000-000000000000'],
  ['date', '0044-03-15 BC', 'infinity', '2026-11-21'],
  ['time', '24:00', '01:02:03.000001'],
  ['time with time zone', '01:02:03.5+05:30'],
  ['timestamp', '-infinity', '2026-11-21 01:02:03.000001', '4713-01-01 BC'],
  ['timestamptz', '2026-11-21 01:02:03+05:30', 'infinity'],
  ['interval', '-1 year +3 days -04:05:06.7', '0', '1 mon'],
  ['json', '{"b": 1,  "a": 12345678901234567890}', 'null'],
  ['jsonb', '{"b": 1, "a": 2}'],
  ['xml', '<a>1</a>'],
  ['bit(3)', '101'],
  ['bit varying', '10101'],
  ['inet', '10.0.0.1/8'],
  ['cidr', '10.0.0.0/8'],
  ['macaddr', '08:00:2b:01:02:03'],
  ['tsvector', 'a:1 b:2'],
  ['point', '(1,2)'],
  ['integer[]', '{1,NULL,3}', '{}'],
  ['text[]', '{"a,b","",NULL}'],
  ['int4range', '[1,5)', 'empty'],
  ['mood', 'sad', 'over, joyed'],
  ['mood[]', '{sad}'],
  ['pair', '(1,"a b")'],
  ['positive', '7'],
  ['code', 'ab'],
  ['regclass', 'pg_class'],
];

describe('values', () => {
  beforeAll(async () => {
    await database.admin.query(`
      create type mood as enum ('sad', 'over, joyed');
      create type pair as (a integer, b text);
      create domain positive as integer check (value > 0);
      create domain code as char(4)`);
  });

  test.each(types)('%s arrives as its text, null as nothing', async (type, ...values) => {
    await database.admin.query(`drop table if exists v; create table v (n int, v ${type})`);
    const all = [...values, null];
    for (const [n, value] of all.entries()) {
      await database.admin.query(`insert into v values ($1, $2::text::${type})`, [n, value]);
    }
    const { rows } = await database.admin.query<{ n: string; v: string | null }>(
      'select n::text, v::text from v order by n',
    );
    const expected = rows.map(({ n, v }) => [n, v]);
    expect(expected).toHaveLength(all.length);
    expect(await read({ sql: 'select * from v order by n' })).toEqual(expected);
    expect(await read({ table: 'v' })).toEqual(expected);
  });

  test('booleans are t and f', async () => {
    expect(await read({ sql: 'select true as a, false as b, null::boolean as c' })).toEqual([
      ['t', 'f', null],
    ]);
  });

  test('in binary go into another table as they are', async () => {
    await database.admin.query(`
      drop table if exists v, w;
      create table v as
        select i, i * 1.5 as n, 'text ' || i as t, array[i, null] as a, now() as z
          from generate_series(1, 5000) i;
      create table w (like v)`);
    const [range] = await rangesOf(database.source, { config: { table: 'v' } }, 'single', 1);
    const bulk = database.source.readBulk(
      { config: { table: 'v' } },
      range ?? {},
      { format: 'postgres-binary' },
      context(),
    );
    const bytes = await bytesOf(bulk);
    expect(bulk.counts()).toEqual({ rows: 5000, bytes: bytes.length });
    const into = database.admin.query(copyFrom('copy w from stdin (format binary)'));
    await pipeline(Readable.from([bytes]), into);
    const { rows } = await database.admin.query('select * from v except select * from w');
    expect(rows).toEqual([]);
    expect(into.rowCount).toBe(5000);
  });

  test('in binary are none where there are no rows', async () => {
    const [range] = await rangesOf(
      database.source,
      { config: { sql: 'select 1 as a where false' } },
      'single',
      1,
    );
    const bulk = database.source.readBulk(
      { config: { sql: 'select 1 as a where false' } },
      range ?? {},
      { format: 'postgres-binary' },
      context(),
    );
    const bytes = await bytesOf(bulk);
    expect(bytes.subarray(0, 6).toString()).toBe('PGCOPY');
    expect(bytes).toHaveLength(21);
    expect(bulk.counts()).toEqual({ rows: 0, bytes: 21 });
  });
});

describe('tables', () => {
  test('may be called anything, and so may their columns', async () => {
    await database.admin.query(`
      create schema "Sch""ema.x";
      create table "Sch""ema.x"."select" ("from" int, "Größe ""x"".y" text, "a'b\\c" int);
      insert into "Sch""ema.x"."select" values (1, 'x', 2)`);
    const config = { schema: 'Sch"ema.x', table: 'select' };
    expect(await read(config)).toEqual([['1', 'x', '2']]);
    expect(
      await read({ ...config, columns: ['Größe "x".y', 'from'], where: '"select"."from" = 1' }),
    ).toEqual([['x', '1']]);
    const facts = await database.source.facts({ config }, context());
    expect(facts.columns.map(({ name }) => name)).toEqual(['from', 'Größe "x".y', "a'b\\c"]);
  });

  test('have generated and identity columns like any other', async () => {
    await database.admin.query(`
      create table g (id int generated always as identity primary key, a int,
                      twice int generated always as (a * 2) stored,
                      thrice int generated always as (a * 3) virtual);
      insert into g (a) values (5), (6)`);
    expect(await read({ table: 'g', where: 'true -- all of them' })).toEqual([
      ['1', '5', '10', '15'],
      ['2', '6', '12', '18'],
    ]);
  });

  test('without rows give none, and views give theirs', async () => {
    await database.admin.query(`
      create table empty (a int);
      create view two as select 1 as a union all select 2;
      create materialized view mat as select * from two`);
    expect(await read({ table: 'empty' })).toEqual([]);
    expect(await read({ table: 'two' })).toEqual([['1'], ['2']]);
    expect(await read({ table: 'mat', where: 'a > 1' })).toEqual([['2']]);
  });

  test('have a window and bounds, in text of their own notation', async () => {
    await database.admin.query(`
      create table days (d date primary key, c char(3));
      insert into days select date '2026-01-01' + i, 'x' from generate_series(0, 9) i`);
    const config = { table: 'days', columns: ['d'] };
    const days = (...numbers: number[]) => numbers.map((n) => [`2026-01-0${n}`]);
    expect(
      await read({ ...config, window: { column: 'd', from: '2026-01-02', to: '2026-01-04' } }),
    ).toEqual(days(2, 3));
    const bounds = { column: 'd', above: '2026-01-02', upTo: '2026-01-04' };
    expect(await readWhole(database.source, { config, bounds })).toEqual(days(3, 4));
    expect(await database.source.highest?.({ config, bounds }, 'd', context())).toBe('2026-01-04');
    const { source } = database;
    expect(await source.highest?.({ config: { table: 'days' } }, 'd', context())).toBe(
      '2026-01-10',
    );
    expect(
      await source.highest?.({ config: { ...config, where: 'false' } }, 'd', context()),
    ).toBeNull();
  });

  test('read what is pushed: expressions and conditions', async () => {
    await database.admin.query(`create table p (a int, b text);
      insert into p values (1, 'x'), (2, 'y'), (3, null)`);
    const pushed = {
      columns: [
        { name: 'b', expression: `coalesce(b, '-') -- never null` },
        { name: 'Sum', expression: 'a + 1' },
      ],
      where: ['a > 1', 'true or false'],
    };
    const request = { config: { table: 'p' }, pushed };
    expect(await readWhole(database.source, request)).toEqual([
      ['y', '3'],
      ['-', '4'],
    ]);
    const facts = await database.source.facts(request, context());
    expect(facts.columns).toMatchObject([
      { name: 'b', type: { kind: 'text' } },
      { name: 'Sum', type: { kind: 'integer' } },
    ]);
    const query = { config: { sql: 'select * from p order by a desc;  ' }, pushed };
    expect(await readWhole(database.source, query)).toEqual([
      ['-', '4'],
      ['y', '3'],
    ]);
  });
});

describe('queries', () => {
  test('may name other sources, and begin with WITH themselves', async () => {
    await database.admin.query(`create table o (id int, amount int);
      insert into o values (1, 10), (2, 20), (3, 30)`);
    const config: SourceConfig = {
      sql: `with big as (select * from "the orders" where amount > 10)
            select count(*) as n, sum(amount) as s from big, one -- done`,
      with: [
        { name: 'the orders', type: 'source.table', config: { table: 'o', where: 'id < 4' } },
        { name: 'one', type: 'source.query', config: { sql: 'select 1 as x;' } },
      ],
    };
    expect(await read(config)).toEqual([['2', '50']]);
  });

  test.each([
    ['two statements', 'select 1 as a; select 2 as b', 'config_invalid'],
    ['a way out of the query', 'select 1) as x; commit; select (1', 'config_invalid'],
    ['a syntax error', 'selekt 1', 'config_invalid'],
    ['a table that is not there', 'select * from nowhere', 'schema_drift'],
    ['a change', 'insert into o values (9, 9) returning id', 'config_invalid'],
    ['a change within', 'with x as (delete from o returning *) select * from x', 'config_invalid'],
    ['a function that changes', `select nextval('counter') as a`, 'config_invalid'],
    ['one name twice', 'select 1 as a, 2 as a, 3 as b', 'config_invalid'],
    ['no columns', 'select', 'config_invalid'],
    ['values that do not suit', 'select 1 / (1 - g) as a from generate_series(1, 2) g', undefined],
  ])('are refused with %s', async (_what, sql, code) => {
    await database.admin.query(`create sequence if not exists counter;
      create table if not exists o (id int, amount int)`);
    const failure = await failureOf(read({ sql }));
    expect(failure.code).toBe(code ?? 'expression_error');
    const { rows } = await database.admin.query('select 1 from o where id = 9');
    expect(rows).toEqual([]);
  });

  test('with a syntax error say where, but show no values', async () => {
    const at = async (sql: string) => (await failureOf(read({ sql }))).message;
    expect(await at('select 1 form x')).toContain('It stops at x.');
    expect(await at(`select 'a' 'secret'`)).not.toContain('secret');
  });

  test('with one name twice say which', async () => {
    const { message } = await failureOf(read({ sql: 'select 1 as a, 2 as a, 3 as b' }));
    expect(message).toContain('(a)');
  });
});

test('a column that changed since the plan stops the read', async () => {
  await database.admin.query('create table drift (a int, b int); insert into drift values (1, 2)');
  const request = { config: { table: 'drift' } };
  const [range] = await rangesOf(database.source, request, 'single', 1);
  await database.admin.query('alter table drift add column c int');
  expect(await rowsOf(database.source, request, range ?? {})).toEqual([['1', '2']]);
  await database.admin.query('alter table drift alter column b type real');
  const binary = { format: 'postgres-binary' as const };
  const again = () => database.source.readBulk(request, range ?? {}, binary, context());
  expect(await failureOf(bytesOf(again()))).toMatchObject({ code: 'schema_drift' });
  await database.admin.query('alter table drift drop column b');
  expect(await failureOf(bytesOf(again()))).toMatchObject({ code: 'schema_drift' });
});
