import fc from 'fast-check';
import { failureOf } from './sourceTesting.js';
import { columnsOf, loader, newDelivery, startTargetDatabase } from './destinationTesting.js';
import type { Row, TargetDatabase } from './destinationTesting.js';
import type { TableConfig } from '../../../connectors/tableNodes.js';

let database: TargetDatabase;
const columns = columnsOf('id integer', 'at integer?', 'name text?');

beforeAll(async () => {
  database = await startTargetDatabase();
});
afterAll(() => database.drop());

const upsert = (table: string, more: Partial<TableConfig> = {}) =>
  loader(database.destination, { table, mode: 'upsert', keys: ['id'], ...more }, columns);

const latest: Partial<TableConfig> = { orderBy: [{ column: 'at', direction: 'desc' }] };
const all = (table: string) => database.ask(`select id, at, name from ${table} order by id`);

test('rows are added and changed by key, and those of others stay', async () => {
  await database.admin.query(`create table people (id integer primary key, at integer, name text,
      note text default 'none');
    insert into people values (1, 1, 'old', 'kept'), (9, 1, 'nine', 'kept')`);
  const load = upsert('people');
  const delivery = newDelivery();
  await load.prepare(delivery);
  const first = await load.write(delivery, 0, [
    [1, 2, 'new'],
    [2, 2, null],
  ]);
  expect(first).toMatchObject({ counts: { rows: 2 }, coalesced: 0, already: false });
  expect(await load.write(delivery, 0, [])).toEqual({ ...first, already: true });
  expect(await database.ask('select * from people order by id')).toEqual([
    [1, 2, 'new', 'kept'],
    [2, 2, null, 'none'],
    [9, 1, 'nine', 'kept'],
  ]);
  // What is there stays: loading it once more does no harm, and taking it back would.
  expect(await load.undo(delivery)).toEqual({ splits: 1, rowsRemoved: 0, rowsMissing: 0 });
  expect(await all('people')).toHaveLength(3);
});

test('a table that is created has the keys for its primary key', async () => {
  await upsert('made', { keys: ['id', 'at'] }).deliver([[1, 1, 'a']], [[1, 2, 'b']]);
  expect(
    await database.ask(`select pg_get_constraintdef(oid) from pg_constraint
      where conrelid = 'made'::regclass and contype = 'p'`),
  ).toEqual([['PRIMARY KEY (id, at)']]);
});

test('without a unique index on the keys it is refused, with the statement that makes one', async () => {
  await database.admin.query(`create table loose (id integer, at integer, name text);
    create unique index on loose (id, at); create unique index on loose (id) where at > 0;
    create unique index on loose ((id + 1)); create index on loose (id);
    alter table loose add unique (id) deferrable`);
  const failure = await failureOf(upsert('loose').prepare(newDelivery()));
  expect(failure).toMatchObject({ code: 'config_invalid' });
  const [, statement = ''] = /Create it: (.*)$/.exec(failure.message) ?? [];
  await database.admin.query(statement);
  await upsert('loose').prepare(newDelivery());
  await upsert('loose', { keys: ['at', 'id'] }).prepare(newDelivery());
});

describe('a key that comes twice', () => {
  test('within a split, or in two of them, is an error where nothing says which row counts', async () => {
    const load = upsert('dup');
    const delivery = newDelivery();
    await load.prepare(delivery);
    const within = await failureOf(
      load.write(delivery, 0, [
        [1, 1, 'a'],
        [2, 1, 'b'],
        [1, 2, 'secret'],
        [1, 3, 'c'],
      ]),
    );
    expect(within).toMatchObject({ code: 'duplicate_key', class: 'schema' });
    expect(within.message).toContain(
      '1 values come more than once in one split, one of them 3 times of (id)',
    );
    expect(await all('dup')).toEqual([]);
    await load.write(delivery, 0, [[1, 1, 'a']]);
    const across = await failureOf(
      load.write(delivery, 1, [
        [2, 1, 'b'],
        [1, 2, 'secret'],
      ]),
    );
    expect(across).toMatchObject({ code: 'duplicate_key' });
    expect(across.message).not.toContain('secret');
    expect(await all('dup')).toEqual([[1, 1, 'a']]);
    // Another run's rows are no duplicates.
    await upsert('dup').deliver([[1, 5, 'later']]);
    expect(await all('dup')).toEqual([[1, 5, 'later']]);
  });

  test('in splits that are merged at the same time is seen all the same', async () => {
    const load = upsert('race');
    const delivery = newDelivery();
    await load.prepare(delivery);
    const outcomes = await Promise.allSettled(
      [0, 1, 2, 3].map((split) => load.write(delivery, split, [[1, split, 'x']])),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') {
        expect(outcome.reason).toMatchObject({ failure: { code: 'duplicate_key' } });
      }
    }
  });

  test('is coalesced where an order says which row counts, whatever the splits', async () => {
    await database.admin.query(`create table won (id integer primary key, at integer, name text);
      insert into won values (1, 99, 'of another run')`);
    const load = upsert('won', latest);
    const delivery = newDelivery();
    await load.prepare(delivery);
    expect(
      await load.write(delivery, 1, [
        [1, 3, 'third'],
        [1, 5, 'fifth'],
        [1, null, 'never'],
        [2, 1, 'tie, first'],
        [2, 1, 'tie, last'],
      ]),
    ).toMatchObject({ counts: { rows: 2 }, coalesced: 3 });
    expect(await all('won')).toEqual([
      [1, 5, 'fifth'],
      [2, 1, 'tie, last'],
    ]);
    expect(
      await load.write(delivery, 0, [
        [1, 4, 'too early'],
        [2, 1, 'a tie in an earlier split'],
        [3, null, 'alone'],
      ]),
    ).toMatchObject({ counts: { rows: 1 }, coalesced: 2 });
    expect(
      await load.write(delivery, 2, [
        [1, 6, 'sixth'],
        [2, 1, 'a tie in a later split'],
        [3, 0, 'more than nothing'],
      ]),
    ).toMatchObject({ counts: { rows: 3 }, coalesced: 0 });
    expect(await all('won')).toEqual([
      [1, 6, 'sixth'],
      [2, 1, 'a tie in a later split'],
      [3, 0, 'more than nothing'],
    ]);
  });

  test('has one winner, in whatever order and however parallel splits are merged', async () => {
    const cell = fc.tuple(
      fc.integer({ min: 0, max: 5 }),
      fc.option(fc.integer({ min: 0, max: 3 })),
    );
    const splits = fc.array(fc.array(cell, { maxLength: 12 }), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(splits, fc.boolean(), async (parts, parallel) => {
        await database.admin.query('drop table if exists fuzz');
        const load = upsert('fuzz', latest);
        const delivery = newDelivery();
        await load.prepare(delivery);
        const rowsOf = (split: number): Row[] =>
          (parts[split] ?? []).map(([id, at], place) => [id, at, `${split}/${place}`]);
        const order = parts.map((_, split) => split).reverse();
        const write = (split: number) => load.write(delivery, split, rowsOf(split));
        const results = [];
        if (parallel) results.push(...(await Promise.all(order.map(write))));
        else for (const split of order) results.push(await write(split));

        const expected = new Map<unknown, Row>();
        const rank = (row: Row | undefined): number => Number(row?.[1] ?? -1);
        for (const row of parts.flatMap((_, split) => rowsOf(split))) {
          if (!expected.has(row[0]) || rank(row) >= rank(expected.get(row[0]))) {
            expected.set(row[0], row);
          }
        }
        expect(await all('fuzz')).toEqual(
          [...expected.values()].sort((a, b) => Number(a[0]) - Number(b[0])),
        );
        const sum = results.reduce((n, { counts, coalesced }) => n + counts.rows + coalesced, 0);
        expect(sum).toBe(parts.flat().length);
      }),
      { numRuns: 25 },
    );
  });
});

test('a key that is NULL fails its split, and the row is found', async () => {
  await database.admin.query(`create table nullable (id integer unique, at integer, name text)`);
  const load = upsert('nullable', latest);
  const delivery = newDelivery();
  await load.prepare(delivery);
  const rows: Row[] = [
    [1, 1, 'a'],
    [null, 1, 'b'],
  ];
  expect(await failureOf(load.write(delivery, 0, rows))).toMatchObject({
    code: 'destination_constraint_violation',
  });
  expect(await load.findBadRows(delivery, 0, rows)).toMatchObject([
    { row: 1, code: 'constraint_violation', column: 'id' },
  ]);
});

test('a partitioned table is merged into, and knows its own rows', async () => {
  await database.admin.query(`create table spread (id integer primary key, at integer, name text)
      partition by hash (id);
    create table spread_0 (name text, gone text, id integer not null, at integer);
    alter table spread_0 drop column gone;
    alter table spread attach partition spread_0 for values with (modulus 2, remainder 0);
    create table spread_1 partition of spread for values with (modulus 2, remainder 1)`);
  const rows = (name: string): Row[] => [1, 2, 3, 4, 5].map((id) => [id, 1, name]);
  await upsert('spread').deliver(rows('first'));
  const load = upsert('spread');
  const delivery = newDelivery();
  await load.prepare(delivery);
  await load.write(delivery, 0, rows('second'));
  expect(await failureOf(load.write(delivery, 1, rows('third')))).toMatchObject({
    code: 'duplicate_key',
  });
  expect(await all('spread')).toEqual(rows('second'));
});

test('keys alone are rows, too', async () => {
  const load = loader(
    database.destination,
    { table: 'keys_only', mode: 'upsert', keys: ['id'] },
    columnsOf('id integer'),
  );
  await load.deliver([[1], [2]]);
  await load.deliver([[2], [3]]);
  expect(await database.ask('select * from keys_only order by id')).toEqual([[1], [2], [3]]);
});

test('starting over writes the rows again and calls nothing a duplicate', async () => {
  const load = upsert('anew');
  const delivery = newDelivery();
  await load.prepare(delivery);
  await load.write(delivery, 0, [[1, 1, 'old']]);
  const fresh = { ...delivery, generation: 1 };
  expect(await load.startOver(fresh)).toEqual({ splits: 1, rowsRemoved: 0, rowsMissing: 0 });
  await load.prepare(fresh);
  expect(await load.write(fresh, 3, [[1, 2, 'new']])).toMatchObject({ already: false });
  expect(await failureOf(load.write(delivery, 4, [[8, 1, 'zombie']]))).toMatchObject({
    code: 'snapshot_lost',
  });
  expect(await all('anew')).toEqual([[1, 2, 'new']]);
});

describe('delete', () => {
  const remove = (table: string, keys: string[]) =>
    loader(database.destination, { table, mode: 'delete', keys }, columns);

  test('removes the rows of these keys, and counts what was not there', async () => {
    await database.admin.query(`create table shrinks (id integer, name text);
      insert into shrinks select n, 'x' from generate_series(1, 10) n`);
    const load = remove('shrinks', ['id']);
    const delivery = newDelivery();
    // What else arrives is of no interest, and needs no place in the table.
    await load.prepare(delivery);
    const first = await load.write(delivery, 0, [
      [1, null, 'no matter what'],
      [1, null, 'twice'],
      [2, 4, null],
      [77, 4, null],
      [3, 1, 'last'],
    ]);
    expect(first).toMatchObject({ counts: { rows: 3 }, coalesced: 2, already: false });
    expect(await load.write(delivery, 0, [])).toEqual({ ...first, already: true });
    expect(await database.ask('select count(*)::int from shrinks')).toEqual([[7]]);
    expect(await load.undo(delivery)).toEqual({ splits: 1, rowsRemoved: 0, rowsMissing: 0 });
  });

  test('finds all rows of a key that is not unique, and none for NULL', async () => {
    await database.admin.query(`create table lines (id integer, at integer, name text);
      insert into lines values (1, 1, 'a'), (1, 2, 'b'), (2, 1, 'c'), (null, 1, 'd')`);
    const load = remove('lines', ['id']);
    const delivery = newDelivery();
    await load.prepare(delivery);
    expect(
      await load.write(delivery, 0, [
        [1, 1, null],
        [null, 1, null],
      ]),
    ).toMatchObject({ counts: { rows: 1 }, coalesced: 1 });
    expect(await database.ask('select name from lines order by name')).toEqual([['c'], ['d']]);
  });
});
