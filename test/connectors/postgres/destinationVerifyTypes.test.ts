import { context, failureOf } from './sourceTesting.js';
import {
  columnsOf,
  loader,
  newDelivery,
  openDestination,
  splitOf,
  startTargetDatabase,
} from './destinationTesting.js';
import type { TargetDatabase } from './destinationTesting.js';
import { makeSource } from '../../../connectors/postgres/source.js';
import type { TableConfig } from '../../../connectors/tableNodes.js';
import { localDirectories } from '../../support/anywhere.js';
import { net } from './sourceTesting.js';

let database: TargetDatabase;
beforeAll(async () => {
  database = await startTargetDatabase();
  await database.admin.query(`
    create extension citext;
    create type mood as enum ('sad', 'happy');
    create type pair as (a integer, b text);
    create domain price as numeric(8,2);
    create domain deep as price`);
});
afterAll(() => database.drop());

let tables = 0;
/** One value of a source's type into one column that is there already. */
const carry = async (source: string, type: string, value: string | null): Promise<void> => {
  const table = `one_${(tables += 1)}`;
  await database.admin.query(`create table ${table} (id integer primary key, v ${type})`);
  const columns = columnsOf('id integer', `v ${source}?`);
  const node: TableConfig = { table, mode: 'append', verify: 'content' };
  await loader(database.destination, node, columns).deliver([[1, value]]);
  const keyed: TableConfig = { ...node, mode: 'upsert', keys: ['id'] };
  await loader(database.destination, keyed, columns).deliver([[1, value]]);
  expect(await database.ask(`select count(*)::integer from ${table}`)).toEqual([[1]]);
};

test.each<[string, string, string | null]>([
  ['text', 'numeric(10,2)', '1.0'],
  ['text', 'numeric(10,2)', null],
  ['text', 'numeric', ' 1e3 '],
  ['numeric', 'numeric(10,2)', '1.500'],
  ['numeric', 'numeric(10,2)', 'NaN'],
  ['numeric', 'deep', '2.5'],
  ['decimal(12,4)', 'numeric(3,-2)', '1200.0000'],
  ['integer', 'numeric(10,2)', '5'],
  ['bigint', 'smallint', '05'],
  ['bigint', 'double precision', '9007199254740992'],
  ['integer', 'real', '16777216'],
  ['double', 'real', '0.1'],
  ['real', 'double precision', '0.1'],
  ['double', 'double precision', '1e5'],
  ['double', 'double precision', '0.29999999999999999'],
  ['double', 'double precision', '-0'],
  ['double', 'real', 'Infinity'],
  ['numeric', 'double precision', '0.10'],
  ['numeric', 'real', '100000.00'],
  ['text', 'real', '0.123456789012'],
  ['boolean', 'boolean', 'TRUE'],
  ['text', 'boolean', 'yes'],
  ['text', 'char(5)', 'ab'],
  ['text', 'char(5)', 'ab   '],
  ['text', 'varchar(3)', 'ab '],
  ['text', 'text', ''],
  ['text', 'text', 'a, "b"\n(c\\)'],
  ['text', 'citext', 'Ab'],
  ['text', 'name', 'a'],
  ['text', '"char"', 'a'],
  ['json', 'jsonb', '{"b":1,  "a" : [1 ,2.0]}'],
  ['json', 'json', '{"b":1,  "a" : [1 ,2.0]}'],
  ['json', 'text', '{"b":1,  "a" : [1 ,2.0]}'],
  ['timestamptz', 'timestamptz', '2024-02-29T12:00:00.5+05:30'],
  ['timestamptz', 'timestamptz(3)', '2024-02-29 12:00:00.120000Z'],
  ['timestamptz', 'timestamp', '2024-02-29 06:30:00+00'],
  ['timestamptz', 'date', '2024-02-29 00:00:00+00'],
  ['timestamp', 'timestamptz(0)', '2024-02-29 06:30:00'],
  ['timestamp', 'date', '2024-02-29 00:00:00'],
  ['timestamp', 'date', 'infinity'],
  ['date', 'timestamp', '2024-02-29'],
  ['date', 'date', '5874897-12-31'],
  ['timestamp', 'timestamp', '4713-01-01 00:00:00 BC'],
  ['time', 'time(0)', '12:00'],
  ['text', 'timetz', '12:00+01'],
  ['interval', 'interval(0)', '1 day 2 hours'],
  ['text', 'interval', '26:00'],
  ['uuid', 'uuid', 'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11'],
  ['bytes', 'bytea', '\\xDEADbeef'],
  ['text', 'int4range', '[1,3]'],
  ['text', 'numrange', '[1.0,2)'],
  ['text', 'numeric(5,2)[]', '{1.5,NULL}'],
  ['text', 'char(3)[]', '{a,bc}'],
  ['text', 'integer[]', '[0:1]={1,2}'],
  ['text', 'mood', 'sad'],
  ['text', 'mood[]', '{ sad , NULL }'],
  ['text', 'pair', '( 1,"a, b")'],
  ['text', 'point', '1.0,2'],
  ['text', 'xml', '<a  b="c"/>'],
  ['text', 'inet', '10.0.0.1/32'],
  ['text', 'money', '1.5'],
  ['text', 'bit(3)', '101'],
  ['text', 'varbit(5)', '101'],
  ['text', 'tsvector', 'b a'],
  ['text', 'regclass', 'pg_class'],
  ['text', 'date', '29 Feb 2024'],
])('%s into %s: %j is the same in another spelling', carry);

test.each<[string, string, string]>([
  ['numeric', 'numeric(10,2)', '1.239'],
  ['text', 'numeric(10,2)', '1.239'],
  ['double', 'numeric(10,2)', '1e-7'],
  ['numeric', 'deep', '2.555'],
  ['numeric', 'numeric(3,-2)', '1234'],
  ['text', 'numeric(5,2)[]', '{1.555}'],
  ['double', 'real', '0.12345678901'],
  ['integer', 'real', '16777217'],
  ['bigint', 'double precision', '9007199254740993'],
  ['numeric', 'double precision', '0.29999999999999999'],
  ['timestamp', 'timestamp(0)', '2024-02-29 12:00:00.4'],
  ['timestamptz', 'timestamptz(3)', '2024-02-29 12:00:00.1234+00'],
  ['timestamp', 'date', '2024-02-29 12:00:00'],
  ['timestamptz', 'date', '2024-02-29 12:00:00+00'],
  ['time', 'time(0)', '12:00:00.4'],
  ['interval', 'interval(0)', '00:00:00.4'],
  ['text', 'interval day to minute', '1 day 00:00:05'],
  ['text', 'varchar(3)', 'abc '],
  ['text', '"char"', 'abc'],
  ['text', 'name', 'a'.repeat(70)],
])('%s into %s: %j is cut or rounded', async (source, type, value) => {
  const failure = await failureOf(carry(source, type, value));
  expect(failure).toMatchObject({ code: 'content_mismatch' });
  expect(failure.message).toContain('they differ in v; of the split it is row 1.');
  expect(failure.message).not.toContain(value);
});

describe.each(['postgres-binary', 'csv'] as const)('as %s, from table to table', (format) => {
  const table = `copy_${format === 'csv' ? 'csv' : 'binary'}`;
  const kinds = {
    a: ['smallint', '-5'],
    b: ['real', '0.1'],
    c: ['double precision', '0.1'],
    d: ['numeric', '1.10'],
    e: ['numeric(10,2)', '1.10'],
    f: ['varchar(5)', 'ab '],
    g: ['char(5)', 'ab'],
    h: ['"char"', 'x'],
    i: ['name', 'n'],
    j: ['bytea', '\\x00ff'],
    k: ['json', '{"a":  1}'],
    l: ['jsonb', '{"a":  1}'],
    m: ['timestamptz(3)', '2024-02-29 12:00:00.123+01'],
    n: ['interval', '1 mon 2 days 00:00:01'],
    o: ['numeric(5,2)[]', '{1,NULL}'],
    p: ['text[]', '{a,"b c"}'],
    q: ['numrange', '[1.50,2)'],
    r: ['inet', '10.0.0.1'],
    s: ['bit(3)', '101'],
    t: ['date', 'infinity'],
    u: ['time', '24:00:00'],
    v: ['uuid', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'],
    w: ['boolean', 't'],
    x: ['tsvector', 'a b'],
    y: ['xid8', '7'],
    z: ['point', '1,2'],
  };

  const copy = async (node: Partial<TableConfig> = {}): Promise<void> => {
    const deps = { net, role: 'source' as const, maxRowBytes: 2 ** 26, localDirectories };
    const request = { config: { table: 'kinds' } };
    const ctx = context();
    const source = makeSource(database.config, deps);
    const destination = openDestination(database.config);
    const config: TableConfig = { table, mode: 'append', verify: 'content', ...node };
    const delivery = newDelivery();
    const { columns } = await source.facts(request, ctx);
    const { formats, publishes } = await destination.prepare(config, columns, delivery, ctx);
    expect(formats).toContain(format);
    const plan = await source.splits(request, { targetBytes: 1, consistency: 'single' }, ctx);
    const read = source.readBulk(request, plan.ranges[0] ?? {}, { format }, ctx);
    await destination.writeBulk(config, splitOf(delivery, 0), read, () => undefined, ctx);
    if (publishes) await destination.publish?.(config, delivery, ctx);
  };

  beforeAll(async () => {
    const list = Object.entries(kinds);
    await database.admin.query(`drop table if exists kinds;
      create table kinds (id integer primary key, ${list.map(([name, [type]]) => `${name} ${type}`).join(', ')});
      insert into kinds values (1, ${list.map(([, [, value]]) => `'${value}'`).join(', ')}); insert into kinds (id) values (2);
      create table ${table} (like kinds including all)`);
  });

  test('values of every kind stand as they came', async () => {
    await copy();
    await copy({ mode: 'upsert', keys: ['id'] });
    await copy({ mode: 'replace' });
    expect(await database.ask(`select t::text from ${table} t order by id`)).toEqual(
      await database.ask('select t::text from kinds t order by id'),
    );
  });

  test.each(Object.keys(kinds))('a trigger that empties %s is found', async (name) => {
    await database.admin.query(`truncate ${table};
      create or replace function empty_it() returns trigger language plpgsql as $$
        begin new.${name} := null; return new; end $$;
      create trigger meddle before insert on ${table} for each row execute function empty_it()`);
    const failure = await failureOf(copy());
    expect(failure).toMatchObject({ code: 'content_mismatch' });
    expect(failure.message).toContain(`they differ in ${name}; of the split it is row 1.`);
    await database.admin.query(`drop trigger meddle on ${table}`);
  });
});
