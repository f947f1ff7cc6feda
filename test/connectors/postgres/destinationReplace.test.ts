import { Client } from 'pg';
import { failureOf } from './sourceTesting.js';
import {
  columnsOf,
  loader,
  newDelivery,
  openDestination,
  startTargetDatabase,
} from './destinationTesting.js';
import type { Row, TargetDatabase } from './destinationTesting.js';

let database: TargetDatabase;
const columns = columnsOf('id integer', 'name text?');

beforeAll(async () => {
  database = await startTargetDatabase();
  await database.admin.query('drop role if exists flx_reader; create role flx_reader');
});
afterAll(async () => {
  await database.admin.query('drop owned by flx_reader; drop role flx_reader');
  await database.drop();
});

const replace = (table: string, said: string[] = []) =>
  loader(database.destination, { table, mode: 'replace' }, columns, said);

const fresh: Row[] = [
  [1, 'new'],
  [2, 'newer'],
];
const oidOf = async (table: string) =>
  (await database.ask(`select oid::int from pg_class where oid = '${table}'::regclass`))[0]?.[0];

const leftovers = `select relname::text from pg_class where relname like '\\_fluxline%'`;

test('a table that is missing comes with its rows', async () => {
  const load = replace('arrives');
  const delivery = newDelivery();
  await load.prepare(delivery);
  await load.write(delivery, 0, fresh);
  expect(await database.ask(`select to_regclass('arrives')`)).toEqual([[null]]);
  await Promise.all([load.publish(delivery), load.publish(delivery), load.publish(delivery)]);
  await load.publish(delivery);
  expect(await database.ask('select * from arrives order by id')).toEqual(fresh);
  expect(await load.undo(delivery)).toMatchObject({ rowsRemoved: 0 });
  expect(await database.ask('select count(*)::int from arrives')).toEqual([[2]]);
});

/** What people and programs rely on, as the catalogue has it. */
const looks = (table: string): Promise<unknown[][]> =>
  database.ask(`
    select c.relacl::text, c.reloptions::text, t.reloptions::text, pg_get_userbyid(c.relowner),
           obj_description(c.oid, 'pg_class'), c.relpersistence::text,
           (select json_agg(json_build_array(attname, format_type(atttypid, atttypmod), attnotnull,
                   attstattarget, attoptions::text, attstorage, attcompression,
                   col_description(attrelid, attnum), pg_get_expr(adbin, adrelid)) order by attnum)
              from pg_attribute left join pg_attrdef on adrelid = attrelid and adnum = attnum
             where attrelid = c.oid and attnum > 0)::text,
           (select json_agg(json_build_array(pg_get_indexdef(indexrelid), indisclustered,
                   indisprimary, obj_description(indexrelid, 'pg_class'))
                   order by indexrelid::regclass::text)
              from pg_index where indrelid = c.oid)::text,
           (select json_agg(json_build_array(conname, contype, pg_get_constraintdef(oid),
                   obj_description(oid, 'pg_constraint')) order by conname)
              from pg_constraint where conrelid = c.oid)::text
      from pg_class c left join pg_class t on t.oid = c.reltoastrelid
     where c.oid = '${table}'::regclass`);

test('a table on which nothing hangs is swapped, and is what it was', async () => {
  await database.admin.query(`
    create table refs (id integer primary key);
    insert into refs values (1), (2);
    create table rich (
      id integer not null constraint rich_key primary key,
      name text default 'nobody' constraint rich_named check (name <> ''),
      ref integer default 1 constraint rich_ref references refs,
      twice integer generated always as (id * 2) stored,
      seen timestamptz not null default now(),
      constraint rich_unique unique (name, id) deferrable initially deferred
    ) with (fillfactor = 70, toast.autovacuum_enabled = false);
    create index rich_lower on rich (lower(name)) where id > 0;
    create unique index "Rich odd, index" on rich (id desc) include (name);
    alter table rich cluster on "Rich odd, index";
    alter table rich alter name set statistics 500;
    alter table rich alter id set (n_distinct = -0.5);
    alter table rich alter name set storage external;
    comment on table rich is 'it''s rich';
    comment on column rich.name is 'who';
    comment on index rich_lower is 'by name';
    comment on constraint rich_key on rich is 'the key';
    comment on constraint rich_named on rich is 'named';
    grant select, insert on rich to flx_reader;
    grant update on rich to flx_reader with grant option;
    grant select on rich to public;
    insert into rich (id, name) values (7, 'old')`);
  const [before, oid] = [await looks('rich'), await oidOf('rich')];
  const said: string[] = [];
  await replace('rich', said).deliver([fresh[0] ?? []], [fresh[1] ?? []]);
  expect(said).toEqual([]);
  expect(await oidOf('rich')).not.toBe(oid);
  expect(await looks('rich')).toEqual(before);
  expect(await database.ask('select id, name, ref, twice from rich order by id')).toEqual([
    [1, 'new', 1, 2],
    [2, 'newer', 1, 4],
  ]);
  expect(await database.ask(leftovers)).toEqual([]);
  // And once more: what came along can be carried on.
  await replace('rich').deliver(fresh);
  expect(await looks('rich')).toEqual(before);
});

test.each<[string, string, string, string?]>([
  ['a view', 'create view v as select id from T', 'views or rules'],
  ['a materialized view', 'create materialized view mv as select id from T', 'views or rules'],
  ['a rule', 'create rule r as on delete to T do also notify gone', 'views or rules'],
  [
    'a trigger',
    `create function tick() returns trigger language plpgsql as 'begin return new; end';
     create trigger tr before insert on T for each row execute function tick()`,
    'triggers',
  ],
  [
    'a policy',
    'alter table T enable row level security; create policy p on T using (true)',
    'policies',
  ],
  ['a sequence', 'alter table T add number serial', 'sequences'],
  ['an identity', 'alter table T add number integer generated always as identity', 'sequences'],
  ['statistics', 'create statistics s on id, name from T', 'extended statistics'],
  ['a publication', 'create publication pub for table T', 'publications'],
  ['grants on a column', 'grant select (id) on T to flx_reader', 'grants on columns'],
  ['a function', 'create function f(T) returns int language sql return 1', 'functions'],
  ['a column of its type', 'create table holds (one T)', 'sequences or tables'],
  ['a child', 'create table child () inherits (T)', 'inheritance'],
  ['an exclusion', 'alter table T add exclude using btree (id with =)', 'constraints'],
  [
    'a reference from elsewhere',
    'alter table T add primary key (id); create table r (id integer references T); insert into r values (1)',
    'foreign keys to it',
  ],
  [
    'a reference to itself',
    'alter table T add primary key (id); alter table T add parent integer references T',
    'foreign keys',
  ],
])('with %s on it the table is refilled and stays what it is', async (_what, hang, reason) => {
  await database.admin.query(`create table target (id integer, name text default 'nobody');
    insert into target values (1, 'old'), (9, 'old')`);
  try {
    await database.admin.query(hang.replaceAll(/\bT\b/g, 'target'));
    const [before, oid] = [await looks('target'), await oidOf('target')];
    const said: string[] = [];
    await replace('target', said).deliver(fresh);
    expect(said.join()).toContain(`refilled instead of swapped: `);
    expect(said.join()).toContain(reason);
    expect(await database.ask('select id, name from target order by id')).toEqual(fresh);
    expect(await oidOf('target')).toBe(oid);
    expect(await looks('target')).toEqual(before);
    expect(await database.ask(leftovers)).toEqual([]);
  } finally {
    await database.admin.query(
      'drop publication if exists pub; drop table target cascade; drop table if exists r, holds; drop function if exists tick',
    );
  }
});

test('a partitioned table is refilled', async () => {
  await database.admin.query(`create table parts (id integer primary key, name text)
      partition by range (id);
    create table parts_low partition of parts for values from (0) to (2);
    create table parts_high partition of parts for values from (2) to (100);
    insert into parts values (1, 'old'), (50, 'old')`);
  await replace('parts').deliver(fresh);
  expect(await database.ask('select tableoid::regclass::text, id from parts order by id')).toEqual([
    ['parts_low', 1],
    ['parts_high', 2],
  ]);
});

test('a table that others refer to and that has no key is refused before it begins', async () => {
  await database.admin.query(`create table keyless (id integer unique, name text);
    create table refers (id integer references keyless (id))`);
  expect(await failureOf(replace('keyless').prepare(newDelivery()))).toMatchObject({
    code: 'config_invalid',
  });
});

test('readers see the old rows or the new ones, never none', async () => {
  await database.admin.query(`create table busy (id integer, name text);
    create table viewed (id integer, name text); create view looking as select * from viewed;
    insert into busy select n, 'old' from generate_series(1, 10) n;
    insert into viewed select n, 'old' from generate_series(1, 10) n`);
  const reader = new Client({ connectionString: database.url });
  await reader.connect();
  const seen = new Set<string>();
  const state = { done: false };
  const reading = (async () => {
    while (!state.done) {
      for (const table of ['busy', 'viewed']) {
        const { rows } = await reader.query<{ n: string }>(`select count(*) as n from ${table}`);
        seen.add(rows[0]?.n ?? '');
      }
    }
  })();
  try {
    for (let turn = 0; turn < 5; turn += 1) {
      for (const table of ['busy', 'viewed']) {
        await replace(table).deliver([...fresh, [3, null]]);
        await replace(table).deliver(Array.from({ length: 10 }, (_, id) => [id, 'again']));
      }
    }
  } finally {
    state.done = true;
    await reading;
    await reader.end();
  }
  expect([...seen].sort()).toEqual(['10', '3']);
});

test('a table that is locked for long is given up on, and swapped when asked again', async () => {
  await database.admin.query(`create table held (id integer, name text)`);
  const impatient = openDestination({ ...database.config, options: { lock_timeout: '300ms' } });
  const load = loader(impatient, { table: 'held', mode: 'replace' }, columns);
  const delivery = newDelivery();
  await load.prepare(delivery);
  await load.write(delivery, 0, fresh);
  const reader = new Client({ connectionString: database.url });
  await reader.connect();
  await reader.query('begin; select * from held');
  expect(await failureOf(load.publish(delivery))).toMatchObject({ class: 'transient' });
  await reader.end();
  await load.publish(delivery);
  expect(await database.ask('select count(*)::int from held')).toEqual([[2]]);
});

test('a table that changes while rows gather still gets them', async () => {
  await database.admin.query('create table changing (id integer, name text)');
  const load = replace('changing');
  const delivery = newDelivery();
  await load.prepare(delivery);
  await load.write(delivery, 0, fresh);
  await database.admin.query(`alter table changing add extra text default 'more';
    create unique index changing_id on changing (id)`);
  await load.publish(delivery);
  expect(await database.ask('select * from changing order by id')).toEqual([
    [1, 'new', 'more'],
    [2, 'newer', 'more'],
  ]);
});

test('starting over drops what was gathered; what was replaced stays when it is undone', async () => {
  await database.admin.query(`create table starts (id integer, name text);
    insert into starts values (0, 'old')`);
  const load = replace('starts');
  const delivery = newDelivery();
  await load.prepare(delivery);
  await load.write(delivery, 0, fresh);
  const next = { ...delivery, generation: 1 };
  expect(await load.startOver(next)).toEqual({ splits: 1, rowsRemoved: 2, rowsMissing: 0 });
  expect(await failureOf(load.publish(delivery))).toMatchObject({ code: 'snapshot_lost' });
  await load.prepare(next);
  await load.write(next, 0, [[5, 'five']]);
  await load.publish(next);
  expect(await database.ask('select * from starts')).toEqual([[5, 'five']]);
  expect(await load.undo(next)).toMatchObject({ rowsRemoved: 0 });
  expect(await database.ask('select * from starts')).toEqual([[5, 'five']]);
});

test('names may be anything that a name can be', async () => {
  const table = `Sélect "from" 表 ${'x'.repeat(40)}`;
  const odd = columnsOf('order integer', 'Größe "1" text?', `${'é'.repeat(31)} text?`);
  const load = loader(database.destination, { table, mode: 'replace' }, odd);
  await load.deliver([[1, 'a', 'b']]);
  await load.deliver([[2, 'c', null]]);
  expect(await database.ask(`select * from "${table.replaceAll('"', '""')}"`)).toEqual([
    [2, 'c', null],
  ]);
  const long = loader(
    database.destination,
    { table: 't', mode: 'append' },
    columnsOf(`${'é'.repeat(32)} text`),
  );
  expect(await failureOf(long.prepare(newDelivery()))).toMatchObject({ code: 'config_invalid' });
});

test('rows that an unlogged table has lost in a crash are missed before it is published', async () => {
  await database.admin.query(`create unlogged table volatile (id integer, name text);
    insert into volatile values (9, 'old')`);
  const load = replace('volatile');
  const delivery = newDelivery();
  await load.prepare(delivery);
  await load.write(delivery, 0, fresh);
  const [[shadow] = []] = await database.ask(leftovers);
  await database.admin.query(`truncate ${String(shadow)}`);
  expect(await failureOf(load.publish(delivery))).toMatchObject({ code: 'count_mismatch' });
  expect(await database.ask('select * from volatile')).toEqual([[9, 'old']]);
  await load.undo(delivery);
});
