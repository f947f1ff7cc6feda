import { waitFor } from '../../support/wait.js';
import {
  bytesOf,
  context,
  failureOf,
  openSource,
  parseCsv,
  rangesOf,
  rowsOf,
  startSourceDatabase,
} from './sourceTesting.js';
import type { SourceDatabase } from './sourceTesting.js';

let database: SourceDatabase;
beforeAll(async () => {
  database = await startSourceDatabase();
});
afterAll(() => database.drop());

const others = async (): Promise<{ pid: number; state: string; query: string }[]> => {
  const { rows } = await database.admin.query<{ pid: number; state: string; query: string }>(
    `select pid, state, query from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()
        and backend_type = 'client backend'`,
  );
  return rows;
};

const allGone = () =>
  waitFor(async () => (await others()).length === 0, {
    timeoutMs: 10_000,
    what: 'every session to be gone',
  });

describe('a held snapshot', () => {
  test('shows what was there to sessions that join, until it is released', async () => {
    await database.admin.query('create table s (a int); insert into s values (1)');
    const held = await database.source.holdSnapshot?.(context());
    if (!held) throw new Error('no snapshot');
    await database.admin.query('insert into s values (2)');
    const request = { config: { table: 's' } };
    const [range] = await rangesOf(database.source, request, 'single', 1, held.id);
    expect(await rowsOf(database.source, request, range ?? {}, held.id)).toEqual([['1']]);
    expect(await rowsOf(database.source, request, range ?? {})).toEqual([['1'], ['2']]);
    await held.release();
    await held.release();
    const late = rowsOf(database.source, request, range ?? {}, held.id);
    expect(await failureOf(late)).toMatchObject({ code: 'snapshot_lost', class: 'transient' });
    const plan = rangesOf(database.source, request, 'snapshot', 1, "no-such'thing");
    expect((await failureOf(plan)).code).toBe('snapshot_lost');
    await allGone();
  });

  test('says that it is lost when its connection breaks', async () => {
    const held = await database.source.holdSnapshot?.(context());
    const [session] = await others();
    await database.admin.query('select pg_terminate_backend($1)', [session?.pid]);
    expect(await failureOf(held?.lost ?? Promise.resolve())).toMatchObject({
      code: 'snapshot_lost',
    });
    await held?.release();
  });

  test('ends when it is told to stop', async () => {
    const stop = new AbortController();
    const held = await database.source.holdSnapshot?.(context(stop.signal));
    expect(await others()).toHaveLength(1);
    stop.abort();
    expect((await failureOf(held?.lost ?? Promise.resolve())).code).toBe('snapshot_lost');
    await allGone();
  });
});

describe('stopping', () => {
  test.each([
    ['before the first row', `select pg_sleep(3600)::text as a`, 0],
    [
      'between rows',
      `select g, case when g > 100000 then pg_sleep(3600)::text end as s
                        from generate_series(1, 200000) g`,
      1,
    ],
  ])('%s ends the statement on the server', async (_when, sql, chunks) => {
    const request = { config: { sql } };
    const [range] = await rangesOf(database.source, request, 'single', 1);
    const stop = new AbortController();
    const read = database.source.readBulk(
      request,
      range ?? {},
      { format: 'csv' },
      context(stop.signal),
    );
    const iterator = read.chunks[Symbol.asyncIterator]();
    for (let n = 0; n < chunks; n += 1) expect((await iterator.next()).done).toBe(false);
    const rest = (async () => {
      while (!(await iterator.next()).done);
    })();
    rest.catch(() => undefined);
    await waitFor(
      async () =>
        (await others()).some(({ state, query }) => state === 'active' && query.startsWith('copy')),
      {
        timeoutMs: 10_000,
        what: 'the copy to run',
      },
    );
    stop.abort(new Error('enough'));
    await expect(rest).rejects.toThrow('enough');
    await allGone();
  });

  test('by no longer taking rows does the same', async () => {
    const request = {
      config: { sql: 'select g, md5(g::text) as m from generate_series(1, 5000000) g' },
    };
    const [range] = await rangesOf(database.source, request, 'single', 1);
    const read = database.source.readBulk(request, range ?? {}, { format: 'csv' }, context());
    for await (const chunk of read.chunks) {
      expect(chunk.length).toBeGreaterThan(0);
      break;
    }
    await allGone();
  });

  test('a description or a search', async () => {
    const stop = new AbortController();
    const sql = 'select g as a from generate_series(1, 2000000000) g';
    const search = database.source.highest?.({ config: { sql } }, 'a', context(stop.signal));
    await waitFor(async () => (await others()).some(({ query }) => query.includes('highest')), {
      timeoutMs: 10_000,
      what: 'the search to run',
    });
    stop.abort(new Error('enough'));
    await expect(search).rejects.toThrow('enough');
    await allGone();
  });

  test('a server that goes away is a passing failure', async () => {
    const request = { config: { sql: 'select pg_sleep(3600)::text as a' } };
    const [range] = await rangesOf(database.source, request, 'single', 1);
    const read = database.source.readBulk(request, range ?? {}, { format: 'csv' }, context());
    const failure = failureOf(bytesOf(read));
    const copy = await waitFor(
      async () => (await others()).find(({ query }) => query.startsWith('copy')),
      { timeoutMs: 10_000, what: 'the copy to run' },
    );
    await database.admin.query('select pg_terminate_backend($1)', [copy.pid]);
    expect(await failure).toMatchObject({ code: 'source_unreachable', class: 'transient' });
  });
});

describe('rows that are too large', () => {
  const cap = 1024 * 1024;

  test.each(['csv', 'postgres-binary'] as const)(
    'are left out of %s, named by their place, and never held',
    async (format) => {
      const source = openSource(database.config, cap);
      const sql = `select g as n, case when g in (1, 4)
          then repeat('x', 300 * 1024 * 1024) else 'small' end as v
        from generate_series(1, 6) g`;
      const request = { config: { sql } };
      const [range] = await rangesOf(source, request, 'single', 1);
      const read = source.readBulk(request, range ?? {}, { format }, context());
      let most = 0;
      const watch = setInterval(() => {
        most = Math.max(most, process.memoryUsage().rss);
      }, 5);
      const before = process.memoryUsage().rss;
      const bytes = await bytesOf(read);
      clearInterval(watch);
      expect(most - before).toBeLessThan(150 * 1024 * 1024);
      expect(read.counts()).toEqual({ rows: 4, bytes: bytes.length });
      expect(read.rejected()).toMatchObject([
        { row: 0, code: 'row_too_large' },
        { row: 3, code: 'row_too_large' },
      ]);
      if (format === 'csv') {
        expect(parseCsv(bytes.toString()).map(([n]) => n)).toEqual(['2', '3', '5', '6']);
      } else {
        expect(bytes.subarray(0, 6).toString()).toBe('PGCOPY');
        expect(bytes.subarray(-2)).toEqual(Buffer.from([0xff, 0xff]));
      }
    },
  );

  test('do not end the connection of which they were', async () => {
    const source = openSource(database.config, 100);
    const request = { config: { sql: `select repeat('x', 101) as a from generate_series(1, 3)` } };
    const [range] = await rangesOf(source, request, 'single', 1);
    const read = source.readBulk(request, range ?? {}, { format: 'csv' }, context());
    expect(await bytesOf(read)).toHaveLength(0);
    expect(read.rejected()).toHaveLength(3);
    expect(read.counts()).toEqual({ rows: 0, bytes: 0 });
  });
});

test('a session reads what is committed meanwhile only once', async () => {
  await database.admin.query('create table m (a int); insert into m values (1)');
  const writer = await database.connect();
  await writer.query('begin; insert into m values (2)');
  const request = { config: { table: 'm' } };
  const [range] = await rangesOf(database.source, request, 'single', 1);
  expect(await rowsOf(database.source, request, range ?? {})).toEqual([['1']]);
  await writer.query('commit');
  await writer.end();
  expect(await rowsOf(database.source, request, range ?? {})).toEqual([['1'], ['2']]);
});
