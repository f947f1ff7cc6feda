import { context, failureOf, openSource, startSourceDatabase } from './sourceTesting.js';
import type { SourceDatabase } from './sourceTesting.js';

let database: SourceDatabase;
beforeAll(async () => {
  database = await startSourceDatabase();
});
afterAll(() => database.drop());

const nullableOf = async (table: string) => {
  const { columns } = await database.source.facts({ config: { table } }, context());
  return columns.map(({ nullable }) => nullable);
};

test('a column is not null only where the table says so of all of its rows', async () => {
  await database.admin.query(`
    create table n (a int primary key, b int not null, c int, d int);
    insert into n values (1, 1, 1, null);
    alter table n add constraint later not null d not valid;
    create view v as select a, b from n;
    create table old (a int constraint only_here not null no inherit, b int not null);
    create table young (c int) inherits (old);
    create table whole (a int not null) partition by list (a);
    create table part partition of whole default`);
  expect(await nullableOf('n')).toEqual([false, false, true, true]);
  expect(await nullableOf('v')).toEqual([true, true]);
  expect(await nullableOf('old')).toEqual([true, true]);
  expect(await nullableOf('whole')).toEqual([false]);
});

test('sizes are what the server expects', async () => {
  await database.admin.query(`
    create table sized (id int primary key, t text);
    insert into sized select i, repeat('x', 100) from generate_series(1, 10000) i;
    analyze sized; create table nothing (a int)`);
  const all = await database.source.facts({ config: { table: 'sized' } }, context());
  expect(all.rows).toBe(10_000);
  expect(all.bytes).toBeGreaterThan(1_000_000);
  const some = await database.source.facts(
    { config: { table: 'sized', where: 'id > 9000' } },
    context(),
  );
  expect(some.rows).toBeGreaterThan(500);
  expect(some.rows).toBeLessThan(2_000);
  expect(some.bytes).toBeLessThan((all.bytes ?? 0) / 5);
  const none = await database.source.facts({ config: { table: 'nothing' } }, context());
  expect(none).toMatchObject({ rows: 0, bytes: 0 });
  const query = await database.source.facts({ config: { sql: 'select * from sized' } }, context());
  expect(query).toMatchObject({ rows: 10_000, consistencies: ['single'] });
});

test('a description runs nothing', async () => {
  const sql = `select 1 / (g - 1) as a, pg_sleep(3600)::text as s from generate_series(1, 3) g`;
  const { columns } = await database.source.facts({ config: { sql } }, context());
  expect(columns.map(({ name }) => name)).toEqual(['a', 's']);
});

describe('what is wrong is said for someone who reads', () => {
  beforeAll(() =>
    database.admin.query(
      `create table secret (a int); create role nobody_reads login password 'x'`,
    ),
  );
  afterAll(() => database.admin.query('drop role nobody_reads'));

  test.each<[string, object, object, object]>([
    [
      'a table that is not there',
      {},
      { table: 'nowhere' },
      { code: 'schema_drift', message: expect.stringContaining('public.nowhere') as string },
    ],
    [
      'a column that is not there',
      {},
      { table: 'secret', columns: ['b'] },
      { code: 'schema_drift', message: expect.stringContaining('"b"') as string },
    ],
    [
      'a condition that makes no sense',
      {},
      { table: 'secret', where: `a || 'x' > 1` },
      { code: 'config_invalid', class: 'config' },
    ],
    [
      'no privilege',
      { user: 'nobody_reads', password: 'x' },
      { table: 'secret' },
      { code: 'source_permission_denied', message: expect.stringContaining('SELECT') as string },
    ],
    [
      'nothing listening',
      { port: 1 },
      { table: 'secret' },
      { code: 'source_unreachable', class: 'transient' },
    ],
    [
      'a wrong password',
      { password: 'wrong' },
      { table: 'secret' },
      { code: 'auth_failed', class: 'auth' },
    ],
  ])('%s', async (_what, connection, config, expected) => {
    const source = openSource({ ...database.config, ...connection });
    const failure = await failureOf(
      source.facts({ config: config as { table: string } }, context()),
    );
    expect(failure).toMatchObject(expected);
    expect(JSON.stringify(failure)).not.toContain(database.config.password);
  });
});
