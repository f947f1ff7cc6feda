/** What connections are asked live, answered over a real database and a real directory. */
import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEmptyDatabase } from '../support/database.js';
import type { TestDatabase } from '../support/database.js';
import { query } from '../support/service.js';
import { pointers, startResources } from './support/resources.js';

type Resources = Awaited<ReturnType<typeof startResources>>;

let api: Resources['api'];
let call: Resources['call'];
let target: TestDatabase;
let directory: string;
let database: string;
let files: string;

const configOf = (url: string) => {
  const { hostname, port, username, password, pathname } = new URL(url);
  return {
    host: hostname,
    port: Number(port),
    database: pathname.slice(1),
    user: username,
    password: decodeURIComponent(password),
  };
};

const make = async (name: string, type: string, config: object): Promise<string> =>
  (await call('POST', '/api/connections', { name, type, config })).body.id;

beforeAll(async () => {
  ({ api, call } = await startResources({ live: true }));
  target = await createEmptyDatabase();
  await query(
    target.url,
    `create table orders (
       id integer primary key, big bigint, price numeric(10, 2), paid boolean, raw bytea, note text
     );
     comment on column orders.price is 'in euros';
     insert into orders values
       (1, 9007199254740993, 1.10, true, '\\x00ff', 'a'), (2, 5, null, false, null, repeat('x', 5000));
     create view paid_orders as select id from orders where paid;
     create schema other;
     create table other.here (n integer)`,
  );
  database = await make('database', 'postgres', configOf(target.url));
  directory = await mkdtemp(join(tmpdir(), 'live-files-'));
  await mkdir(join(directory, 'in/2026'), { recursive: true });
  await mkdir(join(directory, 'out'));
  await writeFile(join(directory, 'in/2026/a.csv'), 'id,name,at\n1,one,2026-01-01\n2,"two, 2",\n');
  await writeFile(join(directory, 'in/2026/b.csv'), 'id,name,at\n3,three,2026-01-03\n');
  await writeFile(join(directory, 'out/c.jsonl'), '{"n": 1, "deep": {"a": [1]}}\n{"n": 2}\n');
  await writeFile(join(directory, 'root.json'), '[{"ok": true}, {"ok": null}]');
  files = await make('files', 'local', { directory });
});

afterAll(async () => {
  await api.close();
  await target.drop();
  await rm(directory, { recursive: true, force: true });
});

describe('testing', () => {
  const test_ = (body: object) => call('POST', '/api/connections/test', body);

  test('says that it works, how long it took, and what is there', async () => {
    const { status, body } = await test_({ type: 'postgres', config: configOf(target.url) });
    expect(status).toBe(200);
    expect(body).toMatchObject({ ok: true, code: null });
    expect(body['serverVersion']).toMatch(/\d/);
    expect(body['latencyMs']).toEqual(expect.any(Number));
    expect(await test_({ type: 'local', config: { directory } })).toMatchObject({
      status: 200,
      body: { ok: true, serverVersion: null },
    });
  });

  test('what is wrong is an answer, with one word for it and no secret', async () => {
    const config = { ...configOf(target.url), password: 'canary-wrong' };
    const refused = await test_({ type: 'postgres', config: { ...config, user: 'nobody_here' } });
    expect(refused).toMatchObject({
      status: 200,
      body: { ok: false, code: 'login_refused', serverVersion: null },
    });
    expect(JSON.stringify(refused)).not.toContain('canary');
    const nowhere = await test_({ type: 'postgres', config: { ...config, port: 1 } });
    expect(nowhere.body).toMatchObject({ ok: false, code: 'connection_refused' });
    const denied = await test_({ type: 'postgres', config: { ...config, host: '10.1.2.3' } });
    expect(denied.body).toMatchObject({ ok: false, code: 'egress_denied' });
  });

  test('takes stored secrets for what is not typed', async () => {
    const { body } = await call('GET', `/api/connections/${database}`);
    const { type, config, credentialId } = body as unknown as Record<string, object>;
    expect((await test_({ type, config, credentialId })).body).toMatchObject({ ok: true });
    const masked = { ...config, password: '********' };
    expect((await test_({ type, config: masked, credentialId })).body).toMatchObject({ ok: true });
    expect((await call('POST', `/api/connections/${database}/test`)).body).toMatchObject({
      ok: true,
    });
  });

  test('leaves nothing behind, and refuses what cannot be a config', async () => {
    const count = async () =>
      (await api.db.raw<{ rows: { n: number }[] }>('select count(*) as n from credentials')).rows;
    const before = await count();
    await test_({ type: 'postgres', config: configOf(target.url) });
    expect(await count()).toEqual(before);
    expect(pointers(await test_({ type: 'postgres', config: {} }))).toContain('/config/host');
    expect(await test_({ type: 'abacus', config: {} })).toMatchObject({
      status: 400,
      body: { errors: [{ code: 'unknown_type' }] },
    });
  });
});

describe('looking around', () => {
  const get = (path: string) => call('GET', `/api/connections/${path}`);

  test('tables of the default schema, which is named', async () => {
    const { body } = await get(`${database}/tables`);
    expect(body).toEqual({
      connectionId: database,
      schema: 'public',
      tables: [
        { name: 'orders', type: 'TABLE', comment: null },
        { name: 'paid_orders', type: 'VIEW', comment: null },
      ],
      nextCursor: null,
    });
    expect((await get(`tables?connectionId=${database}`)).body).toEqual(body);
    expect((await get(`${database}/tables?schema=other`)).body).toMatchObject({
      schema: 'other',
      tables: [{ name: 'here' }],
    });
    expect((await get(`${database}/tables?schema=nowhere`)).status).toBe(404);
  });

  test('tables are searched and paged; a cursor is good for its own question only', async () => {
    const first = (await get(`${database}/tables?limit=1`)).body;
    expect(first['tables']).toHaveLength(1);
    const cursor = first['nextCursor'] as string;
    expect((await get(`${database}/tables?limit=1&cursor=${cursor}`)).body).toMatchObject({
      tables: [{ name: 'paid_orders' }],
      nextCursor: null,
    });
    expect((await get(`${database}/tables?search=PAID_`)).body).toMatchObject({
      tables: [{ name: 'paid_orders' }],
    });
    for (const query_ of [`search=x&cursor=${cursor}`, 'cursor=x', 'limit=0', 'limit=x']) {
      expect((await get(`${database}/tables?${query_}`)).status).toBe(400);
    }
  });

  test('columns with their native types', async () => {
    const { body } = await get(`${database}/columns?table=orders`);
    expect(body).toMatchObject({ connectionId: database, schema: 'public', table: 'orders' });
    expect(body['columns']).toEqual(
      expect.arrayContaining([
        { name: 'id', type: 'integer', nullable: false, key: 1, comment: null },
        { name: 'price', type: 'numeric(10,2)', nullable: true, key: null, comment: 'in euros' },
      ]),
    );
    expect((await get(`columns?connectionId=${database}&table=orders`)).body).toEqual(body);
    expect(pointers(await get(`${database}/columns`))).toEqual(['/table']);
    expect((await get(`${database}/columns?table=nothing`)).status).toBe(404);
  });

  test('schemas and catalogs by name', async () => {
    const schemas = (await get(`${database}/schemas`)).body;
    expect(schemas['data']).toEqual(
      expect.arrayContaining([{ name: 'other' }, { name: 'public' }]),
    );
    expect(schemas['meta']).toEqual({ cursor: null });
    const some = (await get(`${database}/schemas?limit=1&search=o`)).body;
    expect(some['data']).toHaveLength(1);
    const catalogs = (await get(`${database}/catalogs`)).body;
    const name = new URL(target.url).pathname.slice(1);
    expect(catalogs['data']).toContainEqual({ name });
    const found = await call('POST', '/api/connections/lakehouse/discover', {
      connectionId: database,
      catalog: name,
    });
    expect(found.body).toMatchObject({ connectionId: database, catalogs: [{ name }] });
  });

  test('what a type cannot do is said, and no worker is asked', async () => {
    for (const refused of [
      get(`${files}/tables`),
      get(`${files}/columns?table=t`),
      get(`${files}/schemas`),
      get(`${files}/catalogs`),
      get(`${database}/files`),
      get(`${database}/cloud-schema?path=a.csv`),
      call('POST', '/api/connections/test-query', { connectionId: files, sql: 'select 1' }),
      call('POST', '/api/connections/lakehouse/discover', { connectionId: files }),
    ]) {
      const { status, body } = await refused;
      expect([status, body['code']]).toEqual([422, 'capability_missing']);
      expect((body['details'] as { capability: string }).capability).toEqual(expect.any(String));
    }
  });

  test('a system that cannot be reached is 502, with the reason and what to do', async () => {
    const dead = await make('dead', 'postgres', { ...configOf(target.url), port: 1 });
    expect(await get(`${dead}/tables`)).toMatchObject({
      status: 502,
      body: { code: 'connection_failed', details: { reason: 'connection_refused' } },
    });
    const private_ = { ...configOf(target.url), host: '192.168.77.1' };
    const denied = await make('denied', 'postgres', private_);
    expect(await get(`${denied}/tables`)).toMatchObject({
      status: 400,
      body: { code: 'egress_denied' },
    });
  });
});

describe('previews', () => {
  const preview = (id: string, more: string) =>
    call('GET', `/api/connections/${id}/preview?${more}`);

  test('of a table: numbers only where exact, bytes in base64, long texts cut', async () => {
    const { body } = await preview(database, 'table=orders');
    expect(body['columns']).toEqual(['id', 'big', 'price', 'paid', 'raw', 'note']);
    expect(body['truncated']).toBe(true);
    const [first, second] = body['rows'] as unknown[][];
    expect(first).toEqual([1, '9007199254740993', '1.10', true, 'AP8=', 'a']);
    expect(second?.slice(0, 5)).toEqual([2, 5, null, false, null]);
    expect((second?.[5] as string).length).toBe(4096);
    const one = (await preview(database, 'table=orders&limit=1')).body;
    expect(one).toMatchObject({ truncated: true });
    expect(one['rows']).toHaveLength(1);
    expect((await preview(database, 'table=nothing')).status).toBe(404);
    expect(pointers(await preview(database, 'limit=1'))).toEqual(['/table']);
  });

  test('of files, with the types they seem to have', async () => {
    expect((await preview(files, 'table=in/2026/a.csv')).body).toEqual({
      columns: ['id', 'name', 'at'],
      rows: [
        [1, 'one', '2026-01-01'],
        [2, 'two, 2', null],
      ],
      truncated: false,
    });
    expect((await preview(files, 'table=in/**/*.csv&limit=1')).body).toMatchObject({
      rows: [[1, 'one', '2026-01-01']],
      truncated: true,
    });
    expect((await preview(files, 'table=out/c.jsonl')).body).toEqual({
      columns: ['n', 'deep'],
      rows: [
        [1, '{"a":[1]}'],
        [2, null],
      ],
      truncated: false,
    });
    expect((await preview(files, 'table=root.json')).body).toMatchObject({
      rows: [[true], [null]],
    });
    expect((await preview(files, 'table=no.csv')).status).toBe(404);
    expect((await preview(files, 'table=../etc/passwd')).status).toBe(400);
  });
});

describe('queries', () => {
  const ask = (sql: string, more: object = {}) =>
    call('POST', '/api/connections/test-query', { connectionId: database, sql, ...more });

  test('answer rows with types, and how many were fetched', async () => {
    const { status, body } = await ask('select id, price from orders order by id desc');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      ok: true,
      columns: ['id', 'price'],
      rows: [
        [2, null],
        [1, '1.10'],
      ],
      truncated: false,
      stats: { rowsScanned: 2 },
      message: null,
      position: null,
    });
    expect(body['types']).toHaveLength(2);
    const some = (await ask('select generate_series(1, 1000000000000)', { limit: 3 })).body;
    expect(some).toMatchObject({ rows: [[1], [2], [3]], truncated: true });
  });

  test('what the system has against one is an answer, with its place', async () => {
    expect(await ask('select nothing_like_this from orders')).toMatchObject({
      status: 200,
      body: {
        ok: false,
        position: 8,
        rows: [],
        message: expect.stringContaining('nothing') as string,
      },
    });
    expect((await ask('select 1 / 0')).body).toMatchObject({ ok: false });
  });

  test.each([
    'delete from orders',
    'select 1; select 2',
    'with gone as (delete from orders returning 1) select * from gone',
    "select pg_read_file('/etc/passwd')",
    "copy orders to program 'true'",
    'select pg_sleep(1)',
    'selec 1',
  ])('that may do more than read are refused: %s', async (sql) => {
    expect(await ask(sql)).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/sql', code: 'query_refused' }] },
    });
  });

  test('that call something by a name of PostgreSQL’s own are refused', async () => {
    expect((await ask('select lower(note) from orders')).status).toBe(200);
    await query(
      target.url,
      `create function public.lower(integer) returns text language sql as 'select 1::text'`,
    );
    expect(await ask('select lower(id) from orders')).toMatchObject({
      status: 400,
      body: { errors: [{ message: expect.stringContaining('public.lower') as string }] },
    });
    expect((await ask('select pg_catalog.lower(note) from orders')).status).toBe(200);
    expect((await ask('select upper(note) from orders')).status).toBe(200);
  });
});

describe('files', () => {
  const list = async (more: string) => {
    const { status, body } = await call('GET', `/api/connections/${files}/files?${more}`);
    expect(status).toBe(200);
    return {
      ...body,
      keys: (body['objects'] as { key: string }[]).map(({ key }) => key),
    } as unknown as { keys: string[]; commonPrefixes: string[]; prefix: string };
  };

  test('all of them without a delimiter, one level with one', async () => {
    expect(await list('')).toMatchObject({
      prefix: '',
      keys: ['in/2026/a.csv', 'in/2026/b.csv', 'out/c.jsonl', 'root.json'],
      commonPrefixes: [],
      nextCursor: null,
    });
    expect(await list('delimiter=/')).toMatchObject({
      keys: ['root.json'],
      commonPrefixes: ['in/', 'out/'],
    });
    expect(await list('prefix=in/&delimiter=/')).toMatchObject({
      prefix: 'in/',
      keys: [],
      commonPrefixes: ['in/2026/'],
    });
    const { body } = await call('GET', `/api/connections/${files}/files?prefix=root`);
    expect(body['objects']).toEqual([
      {
        key: 'root.json',
        size: 28,
        lastModified: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/) as string,
      },
    ]);
  });

  test('their columns', async () => {
    const schemaOf = (path: string) =>
      call('GET', `/api/connections/${files}/cloud-schema?path=${path}`);
    expect((await schemaOf('in/2026/*.csv')).body).toEqual({
      connectionId: files,
      path: 'in/2026/*.csv',
      format: 'csv',
      columns: [
        { name: 'id', type: 'bigint', nullable: true },
        { name: 'name', type: 'text', nullable: true },
        { name: 'at', type: 'date', nullable: true },
      ],
    });
    expect((await schemaOf('none.csv')).status).toBe(404);
    expect((await schemaOf('/etc/passwd')).status).toBe(400);
  });
});
