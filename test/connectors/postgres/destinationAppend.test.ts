import { waitFor } from '../../support/wait.js';
import { failureOf } from './sourceTesting.js';
import {
  columnsOf,
  loader,
  newDelivery,
  readOf,
  splitOf,
  startTargetDatabase,
} from './destinationTesting.js';
import type { Row, TargetDatabase } from './destinationTesting.js';

let database: TargetDatabase;
const columns = columnsOf('id integer', 'name text?');
const rows: Row[] = [
  [1, 'one'],
  [2, null],
  [3, ''],
  [4, 'a "quoted", and\nbroken line'],
];
const stored = [
  [1, 'one'],
  [2, null],
  [3, ''],
  [4, 'a "quoted", and\nbroken line'],
];

beforeAll(async () => {
  database = await startTargetDatabase();
});
afterAll(() => database.drop());

const append = (table: string, more: object = {}, said: string[] = []) =>
  loader(database.destination, { table, mode: 'append', ...more }, columns, said);

const manyRows = (from: number, count: number): Row[] =>
  Array.from({ length: count }, (_, at) => [from + at, `row ${from + at}`]);

test('a split is written once, however often it is tried', async () => {
  const load = append('once');
  const delivery = newDelivery();
  expect(await load.prepare(delivery)).toEqual({ formats: ['csv'], publishes: false });
  const first = await load.write(delivery, 0, rows);
  expect(first).toMatchObject({ counts: { rows: 4 }, coalesced: 0, already: false });
  expect(await load.write(delivery, 0, rows)).toEqual({ ...first, already: true });
  await load.prepare(delivery);
  expect(await load.committed(delivery)).toEqual(new Map([[0, { ...first, already: true }]]));
  expect(await database.ask('select * from once order by id')).toEqual(stored);
});

test('two attempts at once: one writes, the other waits and finds it done', async () => {
  const load = append('twice');
  const delivery = newDelivery();
  await load.prepare(delivery);
  const results = await Promise.all([0, 0, 0].map((split) => load.write(delivery, split, rows)));
  expect(results.filter(({ already }) => !already)).toHaveLength(1);
  expect(new Set(results.map(({ counts }) => counts.rows))).toEqual(new Set([4]));
  expect(await database.ask('select count(*)::int from twice')).toEqual([[4]]);
});

test('what a cut connection leaves is nothing, and the repeat writes all of it', async () => {
  const load = append('cut');
  const delivery = newDelivery();
  await load.prepare(delivery);
  const cutting = load.write(delivery, 0, manyRows(1, 50_000), async () => {
    await waitFor(
      async () => {
        const cut = await database.ask(
          `select pg_terminate_backend(pid) from pg_stat_activity
            where datname = current_database() and query like 'copy%' and state = 'active'`,
        );
        return cut.length > 0;
      },
      { timeoutMs: 10_000, what: 'the COPY to begin' },
    );
  });
  expect(await failureOf(cutting)).toMatchObject({
    code: 'destination_unreachable',
    class: 'transient',
  });
  expect(await database.ask('select count(*)::int from cut')).toEqual([[0]]);
  expect(await load.write(delivery, 0, manyRows(1, 50_000))).toMatchObject({
    counts: { rows: 50_000 },
    already: false,
  });
});

test('a source that breaks off, and one that sends less than it says, write nothing', async () => {
  const load = append('broken');
  const delivery = newDelivery();
  await load.prepare(delivery);
  const broken = readOf(columns, rows, () => Promise.reject(new Error('the source is gone')));
  const write = (read: typeof broken) =>
    database.destination.writeBulk(
      { table: 'broken', mode: 'append' },
      splitOf(delivery, 0),
      read,
      () => undefined,
      {
        signal: new AbortController().signal,
        log: { info: () => undefined, warn: () => undefined },
      },
    );
  await expect(write(broken)).rejects.toThrow();
  const short = { ...readOf(columns, rows), counts: () => ({ rows: 5, bytes: 1 }) };
  expect(await failureOf(write(short))).toMatchObject({ code: 'count_mismatch' });
  expect(await database.ask('select count(*)::int from broken')).toEqual([[0]]);
  expect(await load.write(delivery, 0, rows)).toMatchObject({ already: false });
});

test('an abort rolls back, and is what the caller gets', async () => {
  const load = append('aborted');
  const delivery = newDelivery();
  await load.prepare(delivery);
  const leaving = new AbortController();
  const writing = database.destination.writeBulk(
    { table: 'aborted', mode: 'append' },
    splitOf(delivery, 0),
    readOf(columns, rows, async () => leaving.abort(new Error('enough'))),
    () => undefined,
    { signal: leaving.signal, log: { info: () => undefined, warn: () => undefined } },
  );
  await expect(writing).rejects.toThrow('enough');
  expect(await load.write(delivery, 0, rows)).toMatchObject({ already: false });
});

describe('taking back', () => {
  test('starting over removes what older generations wrote, and shuts them out', async () => {
    await database.admin.query(`create table again (id integer, name text);
      insert into again values (100, 'of someone else')`);
    const load = append('again');
    const old = newDelivery();
    await load.prepare(old);
    await load.write(old, 0, rows);
    await load.write(old, 1, manyRows(10, 5));
    await database.admin.query('update again set name = $$changed$$ where id = 1');
    const fresh = { ...old, generation: 1 };
    expect(await load.startOver(fresh)).toEqual({ splits: 2, rowsRemoved: 8, rowsMissing: 1 });
    expect(await load.committed(fresh)).toEqual(new Map());
    const refused = { code: 'snapshot_lost', class: 'transient' };
    expect(await failureOf(load.write(old, 2, rows))).toMatchObject(refused);
    expect(await failureOf(load.write(old, 0, rows))).toMatchObject(refused);
    expect(await failureOf(load.prepare(old))).toMatchObject(refused);
    expect(await failureOf(load.startOver(old))).toMatchObject(refused);
    await load.prepare(fresh);
    await load.write(fresh, 0, [[7, 'fresh']]);
    // A late repeat must not take back what the generation itself has written since.
    expect(await load.startOver(fresh)).toEqual({ splits: 0, rowsRemoved: 0, rowsMissing: 0 });
    expect(await database.ask('select * from again order by id')).toEqual([
      [1, 'changed'],
      [7, 'fresh'],
      [100, 'of someone else'],
    ]);
  });

  test('starting over waits for a split that is being written, and takes it back', async () => {
    const load = append('waiting');
    const old = newDelivery();
    await load.prepare(old);
    let over: Promise<unknown> | undefined;
    const fresh = { ...old, generation: 1 };
    await load.write(old, 0, rows, async () => {
      over = load.startOver(fresh);
      await untilBlocked();
    });
    expect(await over).toEqual({ splits: 1, rowsRemoved: 4, rowsMissing: 0 });
    expect(await database.ask('select count(*)::int from waiting')).toEqual([[0]]);
  });

  test('undo is done once, refuses who still writes, and a later generation begins anew', async () => {
    const load = append('undone');
    const delivery = newDelivery();
    await load.prepare(delivery);
    await load.write(delivery, 0, rows);
    expect(await load.undo(delivery)).toEqual({ splits: 1, rowsRemoved: 4, rowsMissing: 0 });
    expect(await load.undo(delivery)).toEqual({ splits: 0, rowsRemoved: 0, rowsMissing: 0 });
    expect(await failureOf(load.write(delivery, 1, rows))).toMatchObject({ code: 'snapshot_lost' });
    expect(await failureOf(load.prepare(delivery))).toMatchObject({ code: 'snapshot_lost' });
    const fresh = { ...delivery, generation: 1 };
    await load.startOver(fresh);
    await load.prepare(fresh);
    expect(await load.write(fresh, 0, rows)).toMatchObject({ already: false });
    expect(await database.ask('select count(*)::int from undone')).toEqual([[4]]);
  });

  test('nothing is taken from a table that is another one by now', async () => {
    const load = append('elsewhere');
    const delivery = newDelivery();
    await load.prepare(delivery);
    await load.write(delivery, 0, rows);
    await database.admin.query(`alter table elsewhere rename to there;
      create table elsewhere (id integer, name text)`);
    const drift = { code: 'schema_drift', class: 'schema' };
    expect(await failureOf(load.undo(delivery))).toMatchObject(drift);
    expect(await failureOf(load.prepare(delivery))).toMatchObject(drift);
    await database.admin.query('drop table elsewhere');
    expect(await failureOf(load.undo(delivery))).toMatchObject(drift);
    await database.admin.query('alter table there rename to elsewhere');
    expect(await load.undo(delivery)).toMatchObject({ rowsRemoved: 4 });
  });

  test('markers of an earlier version count, and can be undone', async () => {
    const earlier = await startTargetDatabase();
    await earlier.admin.query(`create schema _fluxline;
      create table _fluxline.commits (root_job uuid not null, stage text not null,
        split integer not null, xid xid8 not null default pg_current_xact_id(),
        row_count bigint not null default 0, byte_count bigint not null default 0,
        committed_at timestamptz not null default now(), primary key (root_job, stage, split));
      create table old (id integer, name text)`);
    const delivery = newDelivery();
    await earlier.admin.query('begin');
    await earlier.admin.query(
      `insert into _fluxline.commits (root_job, stage, split, row_count) values ($1, $2, 0, 2)`,
      [delivery.rootJobId, delivery.stage],
    );
    await earlier.admin.query(`insert into old values (1, 'a'), (2, 'b')`);
    await earlier.admin.query('commit');
    const load = loader(earlier.destination, { table: 'old', mode: 'append' }, columns);
    await load.prepare(delivery);
    expect(await load.write(delivery, 0, rows)).toMatchObject({
      counts: { rows: 2 },
      already: true,
    });
    expect(await load.undo(delivery)).toEqual({ splits: 1, rowsRemoved: 2, rowsMissing: 0 });
    await earlier.drop();
  });
});

/** Until somebody waits for a lock that somebody else has. */
const untilBlocked = (): Promise<unknown> =>
  waitFor(
    async () =>
      (
        await database.ask(
          `select 1 from pg_stat_activity where datname = current_database()
              and cardinality(pg_blocking_pids(pid)) > 0`,
        )
      ).length > 0,
    { timeoutMs: 20_000, what: 'somebody to be blocked' },
  );

describe('all or nothing', () => {
  test('an atomic append is seen when it is published, once', async () => {
    await database.admin.query(`create table ledger (id integer unique, name text);
      insert into ledger values (100, 'before')`);
    const load = append('ledger', { atomic: true });
    const delivery = newDelivery();
    expect(await load.prepare(delivery)).toMatchObject({ publishes: true });
    await load.write(delivery, 0, rows);
    await load.prepare(delivery);
    await load.write(delivery, 1, manyRows(10, 3));
    expect(await database.ask('select count(*)::int from ledger')).toEqual([[1]]);
    await load.publish(delivery);
    await load.publish(delivery);
    expect(await database.ask('select count(*)::int from ledger')).toEqual([[8]]);
    expect(await database.ask(shadows)).toEqual([]);
    expect(await load.undo(delivery)).toEqual({ splits: 2, rowsRemoved: 7, rowsMissing: 0 });
    expect(await database.ask('select * from ledger')).toEqual([[100, 'before']]);
  });

  test('what was gathered and never published is dropped by undo', async () => {
    const load = append('never', { atomic: true });
    const delivery = newDelivery();
    await load.prepare(delivery);
    await load.write(delivery, 0, rows);
    expect(await load.undo(delivery)).toEqual({ splits: 1, rowsRemoved: 4, rowsMissing: 0 });
    expect(await database.ask(shadows)).toEqual([]);
    expect(await failureOf(load.publish(delivery))).toMatchObject({ code: 'snapshot_lost' });
  });

  test('rows whose table has gone are not taken for written', async () => {
    const load = append('gone', { atomic: true });
    const delivery = newDelivery();
    await load.prepare(delivery);
    await load.write(delivery, 0, rows);
    const [[shadow]] = (await database.ask(shadows)) as [[string]];
    await database.admin.query(`drop table ${shadow}`);
    expect(await failureOf(load.prepare(delivery))).toMatchObject({ code: 'snapshot_lost' });
    expect(await failureOf(load.publish(delivery))).toMatchObject({ code: 'snapshot_lost' });
    const fresh = { ...delivery, generation: 1 };
    await load.startOver(fresh);
    await load.prepare(fresh);
    await load.write(fresh, 0, rows);
    await load.publish(fresh);
    expect(await database.ask('select count(*)::int from gone')).toEqual([[4]]);
  });
});

const shadows = `select relname::text from pg_class where relname like '\\_fluxline%' and relkind = 'r'`;
