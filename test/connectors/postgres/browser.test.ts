import type { Browser } from '../../../connectors/browser.js';
import { connector } from '../../../connectors/postgres/connector.js';
import type { PostgresConfig } from '../../../connectors/postgres/manifest.js';
import type { RowCaps } from '../../../core/browse.js';
import { localDirectories } from '../../support/anywhere.js';
import { context, failureOf, net, startSourceDatabase } from './sourceTesting.js';
import type { SourceDatabase } from './sourceTesting.js';

const caps: RowCaps = { rows: 100, bytes: 1_000_000, seconds: 20 };

let database: SourceDatabase;
beforeAll(async () => {
  database = await startSourceDatabase();
});
afterAll(() => database.drop());

const open = (config: PostgresConfig) =>
  connector.open(config, { net, role: 'source', maxRowBytes: 1024, localDirectories });

const browser = (): Required<Browser> => open(database.config).browser as Required<Browser>;
const check = (change: Partial<PostgresConfig> = {}) =>
  open({ ...database.config, ...change }).check?.(context());

const typesOf = async (schema: string) => {
  const page = await browser().tables(schema, { limit: 100 }, context());
  return Object.fromEntries((page?.items ?? []).map(({ name, type }) => [name, type]));
};

const answer = async (sql: string, wanted: Partial<RowCaps> = {}) =>
  browser().query(sql, { ...caps, ...wanted }, context());

const cellsOf = async (list: string) => {
  const found = await answer(`select ${list}`);
  if (!found.ok) throw new Error(found.message);
  return found.rows.rows[0];
};

describe('tables', () => {
  test('are tables or views, and partitions hide behind theirs', async () => {
    await database.admin.query(`
      create schema kinds;
      create table kinds.plain (a int);
      create table kinds.heir () inherits (kinds.plain);
      create table kinds.parted (a int) partition by range (a);
      create table kinds.part partition of kinds.parted default;
      create view kinds.looked_at as select 1 as a;
      create materialized view kinds.kept as select 1 as a;
      create sequence kinds.counter; create index on kinds.plain (a); create type kinds.pair as (a int);
      create foreign data wrapper nobody; create server nowhere foreign data wrapper nobody;
      create foreign table kinds.far (a int) server nowhere`);
    expect(await typesOf('kinds')).toEqual({
      plain: 'TABLE',
      heir: 'TABLE',
      parted: 'TABLE',
      far: 'TABLE',
      looked_at: 'VIEW',
      kept: 'VIEW',
    });
  });

  test('that a user may not touch are not there for it', async () => {
    await database.admin.query(`
      create schema hidden; create table hidden.a (x int);
      create schema shown; create table shown.open (x int); create table shown.closed (x int);
      create table shown.half (x int, y int);
      create role guest_of_test login password 'planted-0815';
      grant usage on schema shown to guest_of_test;
      grant select on shown.open to guest_of_test; grant select (x) on shown.half to guest_of_test`);
    try {
      const guest = { ...database.config, user: 'guest_of_test', password: 'planted-0815' };
      const look = open(guest).browser as Required<Browser>;
      const schemas = await look.schemas({ limit: 100 }, context());
      expect(schemas.items).toContainEqual({ name: 'shown' });
      expect(schemas.items).not.toContainEqual({ name: 'hidden' });
      expect(await look.tables('hidden', { limit: 9 }, context())).toBeUndefined();
      const shown = await look.tables('shown', { limit: 9 }, context());
      expect(shown?.items.map(({ name }) => name)).toEqual(['half', 'open']);
      const closed = look.preview({ schema: 'shown', table: 'closed' }, caps, context());
      expect(await failureOf(closed)).toMatchObject({ reason: 'permission_denied' });
    } finally {
      await database.admin.query('drop owned by guest_of_test; drop role guest_of_test');
    }
  });

  test('however many there are, a page is read off an index', async () => {
    await database.admin.query(`create schema many`);
    // In the catalog only; nobody reads them.
    await database.admin.query(`
      do $$ begin
        for n in 1..4000 loop execute format('create view many.v%s as select 1 as a', n); end loop;
      end $$`);
    const page = await browser().tables('many', { limit: 3, after: 'v39' }, context());
    expect(page).toMatchObject({
      items: [{ name: 'v390' }, { name: 'v3900' }, { name: 'v3901' }],
      next: 'v3901',
    });
    await database.admin.query('analyze pg_catalog.pg_class');
    const { rows } = await database.admin.query<{ 'QUERY PLAN': string }>(`
      explain select relname from pg_class c
       where relnamespace = 'many'::regnamespace and relname > 'v39'::text
       order by relname limit 4`);
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(plan).toContain('pg_class_relname_nsp_index');
    expect(plan).not.toContain('Sort');
    await database.admin.query('drop schema many cascade');
  });
});

describe('cells', () => {
  test('are numbers where nothing is lost, else the text', async () => {
    expect(
      await cellsOf(`true, null, 1::int2, 9007199254740991, 9007199254740992, 1.10, 3::numeric,
        0.1::float8, 'NaN'::float8, '-0'::float8, 1e300::float8`),
    ).toEqual([
      ...[true, null, 1, 9007199254740991, '9007199254740992', '1.10', 3],
      ...[0.1, 'NaN', '-0', 1e300],
    ]);
  });

  test('bytes are base64, and a long one is cut as text is', async () => {
    expect(await cellsOf(`'\\x00ff'::bytea, date '2026-01-02', array[1, null]`)).toEqual([
      'AP8=',
      '2026-01-02',
      '{1,NULL}',
    ]);
    const found = await answer(`select convert_to(repeat('x', 3072), 'UTF8') as a`);
    expect(found).toMatchObject({ rows: { truncated: false } });
    const longer = await answer(`select convert_to(repeat('x', 100000), 'UTF8') as a`);
    if (!longer.ok) throw new Error(longer.message);
    expect(longer.rows.truncated).toBe(true);
    expect(String(longer.rows.rows[0]?.[0])).toBe(Buffer.from('x'.repeat(3072)).toString('base64'));
  });

  test('columns have the names and types of the query, twice the same too', async () => {
    const found = await answer(`select 1 as a, 'x'::varchar(5) as a, null as "A ""b"""`);
    expect(found).toMatchObject({
      rows: {
        columns: [
          { name: 'a', type: 'integer' },
          { name: 'a', type: 'character varying(5)' },
          { name: 'A "b"', type: 'text' },
        ],
      },
    });
    expect(await answer('select')).toMatchObject({ rows: { columns: [], rows: [] } });
  });
});

describe('queries', () => {
  test.each([
    [`select 1 as a; -- the end`],
    [`select ';--' as a`],
    [`select e'\\';' as a, $x$;$x$ as b, "c;" from (select 1 as "c;") t /* ; */ ;`],
    ['values (1), (2)'],
    ['with t as (select 1 as a) select * from t order by 1 -- no end'],
  ])('one statement, whatever is in it: %s', async (sql) => {
    expect(await answer(sql)).toMatchObject({ ok: true });
  });

  test.each([
    ['select 1\n  frm x', 16],
    ['select "ü" from generate_series(1, 2)', 8],
    ['select 1/0', undefined],
    ['select 1; select 2', undefined],
    ['vacuum', 1],
    ['', 1],
  ])('what PostgreSQL has against %s', async (sql, position) => {
    const found = await answer(sql);
    if (found.ok) throw new Error('it was answered');
    expect(found.message).not.toBe('');
    expect(found.position).toBe(position);
  });

  test('cannot write, even where they ask for it', async () => {
    await database.admin.query('create table untouched (a int)');
    for (const sql of [
      `with w as (insert into untouched values (1) returning a) select * from w`,
      `select set_config('transaction_read_only', 'off', true)`,
      `select nextval('counter') from (select 1) t`,
    ]) {
      expect((await answer(sql)).ok).toBe(false);
    }
  });

  test('the order of a query stays', async () => {
    const found = await answer('select n from generate_series(1, 50) n order by n desc', {
      rows: 3,
    });
    expect(found).toMatchObject({ rows: { rows: [[50], [49], [48]], truncated: true } });
  });
});

describe('check', () => {
  test('says the version, and nothing where nothing is amiss', async () => {
    expect(await check()).toEqual({
      serverVersion: expect.stringMatching(/^PostgreSQL \d+\.\d+/) as string,
      notes: [],
    });
  });

  test('says what the user will lack, and how to grant it', async () => {
    const { database: name } = database.config;
    await database.admin.query(`
      create role checked_by_test login password 'planted-0816';
      revoke all on schema public from public; revoke create on database ${name} from public`);
    const user = { user: 'checked_by_test', password: 'planted-0816' };
    try {
      expect((await check(user))?.notes).toEqual([
        expect.stringContaining('grant usage on schema "public" to "checked_by_test"'),
        expect.stringContaining('grant create on schema "public" to "checked_by_test"'),
        expect.stringContaining(
          'create schema _fluxline; grant usage, create on schema _fluxline to "checked_by_test"',
        ),
      ]);
      expect((await check({ ...user, schema: 'nowhere' }))?.notes[0]).toContain(
        'There is no schema nowhere',
      );
      await database.admin.query(`
        grant usage, create on schema public to checked_by_test;
        create schema _fluxline; grant usage, create on schema _fluxline to checked_by_test`);
      expect((await check(user))?.notes).toEqual([]);
    } finally {
      await database.admin.query('drop owned by checked_by_test; drop role checked_by_test');
    }
  });

  test('says that other letters than the database has cannot be loaded', async () => {
    await database.admin.query(
      `create database latin_of_test encoding 'LATIN1' locale 'C' template template0 locale_provider libc`,
    );
    try {
      expect((await check({ database: 'latin_of_test' }))?.notes).toEqual([
        expect.stringContaining('in LATIN1, not UTF8'),
      ]);
    } finally {
      await database.admin.query('drop database latin_of_test');
    }
  });
});
