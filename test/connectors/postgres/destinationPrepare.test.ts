import { Client } from 'pg';
import type { Column } from '../../../connectors/connector.js';
import type { TableConfig } from '../../../connectors/tableNodes.js';
import { context, failureOf, openSource } from './sourceTesting.js';
import {
  columnsOf,
  loader,
  newDelivery,
  openDestination,
  splitOf,
  startTargetDatabase,
} from './destinationTesting.js';
import type { Row, TargetDatabase } from './destinationTesting.js';

let database: TargetDatabase;
const columns = columnsOf('id integer', 'name text?');
const wider = [...columns, ...columnsOf('extra numeric', 'more "text"?'.replaceAll('"', ''))];

beforeAll(async () => {
  database = await startTargetDatabase();
});
afterAll(() => database.drop());

const typesOf = (table: string) =>
  database.ask(`select attname::text, format_type(atttypid, atttypmod), attnotnull
    from pg_attribute where attrelid = '${table}'::regclass and attnum > 0 order by attnum`);

test('a table is created as the columns say, in their own types where every server has them', async () => {
  const native = (name: string, type: string, portable = true): Column => ({
    name,
    type: { kind: 'text' },
    nullable: true,
    native: { system: 'postgres', type, portable },
  });
  const load = loader(database.destination, { table: 'made', mode: 'append' }, [
    ...columnsOf('id bigint', 'price decimal(12,2)?', 'data json?'),
    native('a', 'character varying(10)'),
    native('b', 'timestamp(3) with time zone'),
    native('c', 'integer[]'),
    native('d', 'public.mood', false),
    native('e', '"char"'),
    native('f', 'interval day to second(2)'),
    native('g', 'text); drop table made; --'),
  ]);
  expect(await load.prepare(newDelivery())).toMatchObject({ formats: ['csv'] });
  expect(await typesOf('made')).toEqual([
    ['id', 'bigint', true],
    ['price', 'numeric(12,2)', false],
    ['data', 'jsonb', false],
    ['a', 'character varying(10)', false],
    ['b', 'timestamp(3) with time zone', false],
    ['c', 'integer[]', false],
    ['d', 'text', false],
    ['e', '"char"', false],
    ['f', 'interval day to second(2)', false],
    ['g', 'text', false],
  ]);
});

describe.each<[string, TableConfig]>([
  ['append', { table: 'narrow', mode: 'append' }],
  ['atomic append', { table: 'narrow', mode: 'append', atomic: true }],
  ['replace', { table: 'narrow', mode: 'replace' }],
  ['upsert', { table: 'narrow', mode: 'upsert', keys: ['id'] }],
])('%s into a table that lacks columns', (_mode, node) => {
  const rows: Row[] = [[1, 'a', '1.5', 'b']];

  beforeEach(() =>
    database.admin.query(
      'drop table if exists narrow; create table narrow (id integer primary key, name text)',
    ),
  );

  test('is refused, and says which ones', async () => {
    const load = loader(database.destination, node, wider);
    const failure = await failureOf(load.prepare(newDelivery()));
    expect(failure).toMatchObject({ code: 'schema_drift', class: 'schema' });
    expect(failure.message).toContain('no column extra, more');
  });

  test('adds them where it may', async () => {
    const said: string[] = [];
    const load = loader(database.destination, { ...node, onSchemaChange: 'evolve' }, wider, said);
    await load.deliver(rows);
    expect(await database.ask('select * from narrow')).toEqual(rows);
    expect(await typesOf('narrow')).toContainEqual(['extra', 'numeric', false]);
    expect(said.join()).toContain('extra, more');
  });

  test('leaves them out where it is told to', async () => {
    const said: string[] = [];
    const load = loader(database.destination, { ...node, onSchemaChange: 'ignore' }, wider, said);
    await load.deliver(rows);
    expect(await database.ask('select * from narrow')).toEqual([[1, 'a']]);
    expect(said.join()).toContain('no column extra, more: left out');
  });
});

test.each<[string, string, Partial<TableConfig>, string, RegExp]>([
  ['no table that may be created', '', { createTable: false }, 'schema_drift', /does not exist/],
  ['no schema', '', { schema: 'nowhere' }, 'config_invalid', /schema does not exist/],
  ['a view', 'create view T as select 1 as id, $$a$$ as name', {}, 'config_invalid', /no table/],
  [
    'a computed column',
    'create table T (id integer, name text generated always as ($$x$$) stored)',
    {},
    'config_invalid',
    /computes name itself/,
  ],
  [
    'an identity that an upsert would change',
    'create table T (id integer primary key, name integer generated always as identity)',
    { mode: 'upsert', keys: ['id'] },
    'config_invalid',
    /generated always as identity/,
  ],
  ['no key for an upsert', '', { mode: 'upsert' }, 'config_invalid', /needs keys/],
  [
    'a key that does not arrive',
    '',
    { mode: 'upsert', keys: ['key'] },
    'config_invalid',
    /do not arrive: key/,
  ],
])('%s is refused', async (_what, create, node, code, message) => {
  await database.admin.query('drop table if exists refused');
  await database.admin.query('drop view if exists refused').catch(() => undefined);
  await database.admin.query(create.replace('T', 'refused'));
  const load = loader(database.destination, { table: 'refused', mode: 'append', ...node }, columns);
  const failure = await failureOf(load.prepare(newDelivery()));
  expect(failure.code).toBe(code);
  expect(failure.message).toMatch(message);
  await database.admin.query(
    `drop ${create.startsWith('create view') ? 'view' : 'table'} if exists refused`,
  );
});

test('numbers that arrive for an identity are taken, and it says so', async () => {
  await database.admin.query(
    'create table numbered (id integer generated always as identity, name text)',
  );
  for (const node of [{ atomic: false }, { atomic: true }]) {
    const said: string[] = [];
    const load = loader(database.destination, { table: 'numbered', ...node }, columns, said);
    await load.deliver([[7, 'seven']]);
    expect(said.join()).toContain('id numbers rows itself');
  }
  expect(await database.ask('select * from numbered')).toEqual([
    [7, 'seven'],
    [7, 'seven'],
  ]);
});

test('a user who may not create our schema is told what to grant', async () => {
  const own = await startTargetDatabase();
  await own.admin.query(`drop role if exists flx_loader; create role flx_loader login password 'x';
    create table granted (id integer, name text); grant insert, select on granted to flx_loader`);
  const load = loader(
    openDestination({ ...own.config, user: 'flx_loader', password: 'x' }),
    { table: 'granted', mode: 'append' },
    columns,
  );
  const failure = await failureOf(load.prepare(newDelivery()));
  expect(failure).toMatchObject({ code: 'destination_permission_denied' });
  expect(failure.message).toContain('CREATE');
  await own.admin.query(`create schema _fluxline authorization flx_loader`);
  await load.deliver([[1, 'a']]);
  expect(await own.ask('select count(*)::int from granted')).toEqual([[1]]);
  await own.admin.query('drop owned by flx_loader; drop role flx_loader');
  await own.drop();
});

test('many prepares at once create one table and one set of markers', async () => {
  const own = await startTargetDatabase();
  const load = loader(own.destination, { table: 'crowded', mode: 'append' }, columns);
  const deliveries = [1, 2, 3, 4, 5].map(() => newDelivery());
  await Promise.all(deliveries.map((delivery) => load.prepare(delivery)));
  await Promise.all(deliveries.map((delivery) => load.write(delivery, 0, [[1, 'a']])));
  expect(await own.ask('select count(*)::int from crowded')).toEqual([[5]]);
  await own.drop();
});

test('what is old is forgotten, and what nobody came back for is dropped', async () => {
  const own = await startTargetDatabase();
  const node: TableConfig = { table: 'shelved', mode: 'append', atomic: true };
  const load = loader(own.destination, node, columns);
  const [old, abandoned] = [newDelivery(), newDelivery()];
  await loader(own.destination, { table: 'plain' }, columns).prepare(old);
  await loader(own.destination, { table: 'plain' }, columns).write(old, 0, [[1, 'a']]);
  await load.prepare(abandoned);
  await own.admin.query(`update _fluxline.commits set committed_at = now() - interval '91 days';
    update _fluxline.stages set touched_at = now() - interval '91 days'`);
  const next = newDelivery();
  await load.prepare(next);
  expect(await own.ask('select count(*)::int from _fluxline.commits')).toEqual([[0]]);
  expect(
    await own.ask(
      `select count(*)::int from pg_class where relname like '\\_fluxline\\_%' and relkind = 'r'`,
    ),
  ).toEqual([[1]]);
  await load.prepare(newDelivery());
  expect(await own.ask('select count(*)::int from _fluxline.stages')).toEqual([[2]]);
  await own.drop();
});

describe('binary', () => {
  const copied = async (create: string, node: TableConfig) => {
    await database.admin.query(`drop table if exists origin, copied;
      create table origin (id integer primary key, name varchar(10), at timestamptz, list integer[]);
      insert into origin values (1, 'a', now(), '{1,2}'), (2, null, null, null)`);
    await database.admin.query(create);
    const source = openSource(database.config);
    const request = { config: { table: 'origin' } };
    const facts = await source.facts(request, context());
    const delivery = newDelivery();
    const { formats, publishes } = await database.destination.prepare(
      node,
      facts.columns,
      delivery,
      context(),
    );
    const [format = 'csv'] = formats;
    const { ranges } = await source.splits(
      request,
      { targetBytes: 1e6, consistency: 'single' },
      context(),
    );
    for (const [split, range] of ranges.entries()) {
      await database.destination.writeBulk(
        node,
        splitOf(delivery, split),
        source.readBulk(request, range, { format }, context()),
        () => undefined,
        context(),
      );
    }
    if (publishes) await database.destination.publish?.(node, delivery, context());
    const rowsIn = (table: string) => database.ask(`select t::text from ${table} t order by id`);
    expect(await rowsIn('copied')).toEqual(await rowsIn('origin'));
    return formats;
  };

  test.each<[string, string, TableConfig]>([
    ['a table that we create', '', { table: 'copied', mode: 'append' }],
    ['a table of the same types', 'create table copied (like origin)', { table: 'copied' }],
    ['a replaced one', 'create table copied (like origin)', { table: 'copied', mode: 'replace' }],
    ['a merged one', '', { table: 'copied', mode: 'upsert', keys: ['id'] }],
  ])('goes straight into %s', async (_what, create, node) => {
    expect(await copied(create, node)).toEqual(['postgres-binary', 'csv']);
  });

  test('is not offered where a column is of another type', async () => {
    const create =
      'create table copied (id bigint, name varchar(10), at timestamptz, list integer[])';
    expect(await copied(create, { table: 'copied' })).toEqual(['csv']);
  });
});

test('a server that wants other transactions gets ours', async () => {
  const strict = new Client({ connectionString: database.url });
  await strict.connect();
  const { rows } = await strict.query<{ name: string }>('select current_database() as name');
  await strict.query(
    `alter database ${rows[0]?.name ?? ''} set default_transaction_isolation = 'serializable'`,
  );
  await strict.query(
    `alter database ${rows[0]?.name ?? ''} set default_transaction_read_only = on`,
  );
  await strict.end();
  await loader(database.destination, { table: 'strict' }, columns).deliver([[1, 'a']]);
  expect(await database.ask('select * from strict')).toEqual([[1, 'a']]);
});
