import { failureOf } from './sourceTesting.js';
import { columnsOf, loader, newDelivery, startTargetDatabase } from './destinationTesting.js';
import type { Row, TargetDatabase } from './destinationTesting.js';
import type { TableConfig } from '../../../connectors/tableNodes.js';

let database: TargetDatabase;
const columns = columnsOf('id integer', 'at integer?', 'name text?');

beforeAll(async () => {
  database = await startTargetDatabase();
  await database.admin.query(`
    create function shout() returns trigger language plpgsql as $$
      begin if new.id % 2 = 0 then new.name := upper(new.name); end if; return new; end $$;
    create function swallow() returns trigger language plpgsql as $$
      begin return case when new.id = 2 then null else new end; end $$;
    create function keep() returns trigger language plpgsql as $$
      begin return case when old.id = 2 then null else old end; end $$;
    create function echo() returns trigger language plpgsql as $$
      begin execute format('insert into %I (id, name) values (-$1.id, $1.name)', tg_table_name) using new;
        return null; end $$;
    create function later() returns trigger language plpgsql as $$
      begin execute format('update %I set name = $2 where id = $1.id', tg_table_name)
        using new, 'later';
        return null; exception when division_by_zero then return null; end $$`);
});
afterAll(() => database.drop());

const verified = (table: string, more: Partial<TableConfig> = {}) =>
  loader(database.destination, { table, mode: 'append', verify: 'content', ...more }, columns);

const all = (table: string) => database.ask(`select id, at, name from ${table} order by id`);

const made = async (table: string, more = '', by = ''): Promise<void> => {
  await database.admin.query(
    `create table ${table} (id integer primary key, at integer, name text) ${by}; ${more}`,
  );
};

const three: Row[] = [
  [1, 1, 'a'],
  [2, 2, 'b'],
  [3, null, ''],
];
const asSent = [
  [1, 1, 'a'],
  [2, 2, 'b'],
  [3, null, ''],
];

const modes: [string, Partial<TableConfig>][] = [
  ['append', {}],
  ['append, atomic', { atomic: true }],
  ['replace', { mode: 'replace' }],
  ['upsert', { mode: 'upsert', keys: ['id'] }],
];

describe.each(modes)('%s', (mode, node) => {
  const table = `t_${mode.replace(/\W+/g, '_')}`;

  test('takes what stands as it came', async () => {
    await made(table);
    const load = verified(table, node);
    await load.deliver(three, [[4, 4, 'd']]);
    expect(await all(table)).toEqual([...asSent, [4, 4, 'd']]);
  });

  test('refuses rows that a trigger changes, and then nothing of the split is there', async () => {
    await made(`${table}_changed`);
    const trigger = (what: string) =>
      database.admin.query(
        `create trigger meddle before insert or update on ${table}_changed for each row execute function ${what}()`,
      );
    await trigger('shout');
    const load = verified(`${table}_changed`, node);
    const failure = await failureOf(load.deliver(three));
    expect(failure).toMatchObject({ code: 'content_mismatch', class: 'schema' });
    expect(failure.message).toMatch(/^1 rows do not stand in the table as they came/);
    expect(failure.message).toContain('they differ in name');
    if (!(node.atomic ?? node.mode === 'replace')) expect(failure.message).toContain('row 2.');
    expect(await all(`${table}_changed`)).toEqual([]);
  });

  test('refuses rows that a trigger changes afterwards, and as late as at the commit', async () => {
    await made(
      `${table}_late`,
      `create constraint trigger meddle after insert on ${table}_late
         deferrable initially deferred for each row execute function later()`,
    );
    const failure = await failureOf(verified(`${table}_late`, node).deliver(three));
    expect(failure).toMatchObject({ code: 'content_mismatch' });
    expect(await all(`${table}_late`)).toEqual([]);
  });

  test('counts rows that a trigger swallows', async () => {
    await made(
      `${table}_less`,
      `create trigger meddle before insert on ${table}_less for each row execute function swallow()`,
    );
    const failure = await failureOf(verified(`${table}_less`, node).deliver(three));
    expect(failure.code).toBe('count_mismatch');
    expect(await all(`${table}_less`)).toEqual([]);
  });
});

test('a split that was refused is written once what was wrong is right', async () => {
  await made(
    'mended',
    `create trigger meddle before insert on mended for each row
    execute function shout()`,
  );
  const load = verified('mended');
  const delivery = newDelivery();
  await load.prepare(delivery);
  expect(await load.write(delivery, 0, [[1, 1, 'a']])).toMatchObject({ already: false });
  await failureOf(load.write(delivery, 1, [[2, 1, 'b']]));
  expect([...(await load.committed(delivery)).keys()]).toEqual([0]);
  await database.admin.query('drop trigger meddle on mended');
  expect(await load.write(delivery, 1, [[2, 1, 'b']])).toMatchObject({ already: false });
  expect(await load.write(delivery, 1, [])).toMatchObject({ already: true, counts: { rows: 1 } });
  expect(await load.undo(delivery)).toEqual({ splits: 2, rowsRemoved: 2, rowsMissing: 0 });
});

test('only what is loaded is compared: other columns and other rows are not its business', async () => {
  await database.admin.query(`create table more (
      number bigint generated always as identity, id integer, at integer default 7, name text,
      twice integer generated always as (id * 2) stored, seen timestamptz default clock_timestamp());
    insert into more (id, name) values (1, 'of others')`);
  const node: TableConfig = { table: 'more', mode: 'append', verify: 'content' };
  const some = columnsOf('name text?', 'extra json?', 'id integer');
  await loader(database.destination, { ...node, onSchemaChange: 'ignore' }, some).deliver([
    ['x', '{}', 1],
    ['x', null, 1],
    [null, null, 2],
  ]);
  expect(await database.ask('select id, at, name, twice from more order by number')).toEqual([
    [1, 7, 'of others', 2],
    [1, 7, 'x', 2],
    [1, 7, 'x', 2],
    [2, 7, null, 4],
  ]);
});

test('rows that a trigger adds are found', async () => {
  await database.admin.query(`create table echoed (id integer, at integer, name text);
    create trigger meddle after insert on echoed for each row when (new.id > 0)
      execute function echo()`);
  const failure = await failureOf(verified('echoed').deliver(three));
  expect(failure).toMatchObject({ code: 'content_mismatch' });
  expect(failure.message).toMatch(/^3 rows were added/);
  expect(await all('echoed')).toEqual([]);
});

test('partitions are looked into', async () => {
  await database.admin.query(`
    create table parts (id integer, at integer, name text) partition by range (id);
    create table low (at integer, gone integer, name text, id integer);
    alter table low drop column gone;
    alter table parts attach partition low for values from (0) to (3);
    create table high partition of parts for values from (3) to (10) partition by list (id);
    create table three partition of high for values in (3)`);
  await verified('parts').deliver(three);
  expect(await all('parts')).toEqual(asSent);
  await verified('parts', { mode: 'replace' }).deliver([[1, 1, 'new']], [[3, 3, 'new']]);
  await database.admin.query(
    'create trigger meddle before insert on low for each row execute function shout()',
  );
  const failure = await failureOf(verified('parts').deliver(three));
  expect(failure).toMatchObject({ code: 'content_mismatch' });
  expect(await all('parts')).toEqual([
    [1, 1, 'new'],
    [3, 3, 'new'],
  ]);
});

test('a table that others refer to is replaced and compared row by row', async () => {
  await made(
    'parent',
    `insert into parent values (1, 0, 'old'), (9, 9, 'nine');
    create table child (parent integer references parent); insert into child values (1)`,
  );
  await verified('parent', { mode: 'replace' }).deliver(three);
  expect(await all('parent')).toEqual(asSent);
  await database.admin.query(
    'create trigger meddle before update on parent for each row execute function shout()',
  );
  const failure = await failureOf(verified('parent', { mode: 'replace' }).deliver([[2, 2, 'c']]));
  expect(failure.code).not.toBe('content_mismatch');
  const changed = await failureOf(verified('parent', { mode: 'replace' }).deliver(three));
  expect(changed).toMatchObject({ code: 'content_mismatch' });
  expect(await all('parent')).toEqual(asSent);
});

describe('upsert', () => {
  const latest: Partial<TableConfig> = {
    mode: 'upsert',
    keys: ['id'],
    orderBy: [{ column: 'at', direction: 'desc' }],
  };

  test('compares those that won', async () => {
    await made('won', `insert into won values (1, 99, 'old'), (7, 7, 'others')`);
    const load = verified('won', latest);
    const delivery = newDelivery();
    await load.prepare(delivery);
    await load.write(delivery, 0, [
      [1, 5, 'fifth'],
      [1, 3, 'third'],
      [2, 1, 'b'],
    ]);
    expect(
      await load.write(delivery, 1, [
        [1, 4, 'fourth'],
        [2, 2, 'c'],
        [3, null, null],
      ]),
    ).toMatchObject({ counts: { rows: 2 }, coalesced: 1 });
    expect(await all('won')).toEqual([
      [1, 5, 'fifth'],
      [2, 2, 'c'],
      [3, null, null],
      [7, 7, 'others'],
    ]);
  });

  test('finds what a trigger swallowed, where an order decides and counts cannot tell', async () => {
    await made(
      'lost',
      `create trigger meddle before insert on lost for each row
      execute function swallow()`,
    );
    const failure = await failureOf(verified('lost', latest).deliver(three));
    expect(failure).toMatchObject({ code: 'content_mismatch' });
    expect(failure.message).toContain('row 2');
    expect(await all('lost')).toEqual([]);
  });

  test('refuses keys that its columns hold as others', async () => {
    await database.admin.query('create table priced (price numeric(5,1) primary key, name text)');
    const load = loader(
      database.destination,
      { table: 'priced', mode: 'upsert', keys: ['price'], verify: 'content' },
      columnsOf('price numeric', 'name text'),
    );
    await load.deliver([['1.10', 'a']]);
    const failure = await failureOf(
      load.deliver([
        ['1.11', 'b'],
        ['1.12', 'c'],
        ['5', 'd'],
      ]),
    );
    expect(failure).toMatchObject({ code: 'content_mismatch' });
    expect(failure.message).toMatch(/^2 rows .* row 1, 2\./);
    expect(await database.ask('select price, name from priced')).toEqual([['1.1', 'a']]);
  });
});

describe('delete', () => {
  const gone: Partial<TableConfig> = { mode: 'delete', keys: ['id'] };

  test('leaves none of the keys', async () => {
    await made('shrunk', `insert into shrunk select n, n, 'x' from generate_series(1, 4) n`);
    await verified('shrunk', gone).deliver([...three, [8, 8, 'not there']]);
    expect(await all('shrunk')).toEqual([[4, 4, 'x']]);
  });

  test('finds rows that a trigger keeps', async () => {
    await made(
      'kept',
      `insert into kept select n, n, 'x' from generate_series(1, 4) n;
      create trigger meddle before delete on kept for each row execute function keep()`,
    );
    const failure = await failureOf(verified('kept', gone).deliver(three));
    expect(failure).toMatchObject({ code: 'content_mismatch' });
    expect(failure.message).toMatch(/^1 rows that were to be deleted are still there/);
    expect(await all('kept')).toHaveLength(4);
  });

  test('removes nothing for keys that no column of the table can hold', async () => {
    await database.admin.query(`create table exact (price numeric(5,1));
      insert into exact values (1.2)`);
    const node: TableConfig = { table: 'exact', mode: 'delete', keys: ['price'] };
    const keyed = columnsOf('price numeric');
    const load = loader(database.destination, { ...node, verify: 'content' }, keyed);
    expect(await failureOf(load.deliver([['1.24']]))).toMatchObject({ code: 'content_mismatch' });
    expect(await database.ask('select price from exact')).toEqual([['1.2']]);
    await load.deliver([['1.20']]);
    expect(await database.ask('select price from exact')).toEqual([]);
  });
});

test('what cannot be compared is refused before anything is loaded', async () => {
  await made('ruled', 'create rule nothing as on insert to ruled do instead nothing');
  await database.admin.query(`create foreign data wrapper nobody;
    create server nowhere foreign data wrapper nobody;
    create foreign table far (id integer, at integer, name text) server nowhere`);
  for (const table of ['ruled', 'far']) {
    for (const [, node] of modes.slice(0, 3)) {
      const failure = await failureOf(verified(table, node).prepare(newDelivery()));
      expect(failure).toMatchObject({ code: 'config_invalid' });
      expect(failure.message).toContain('set verify to counts');
    }
  }
});
