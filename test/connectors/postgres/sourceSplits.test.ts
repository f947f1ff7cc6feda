import fc from 'fast-check';
import { selectSql } from '../../../connectors/postgres/sourceQuery.js';
import type { SourceConfig } from '../../../connectors/tableNodes.js';
import { keyRanges, pageRanges } from '../../../connectors/postgres/splits.js';
import type { SourceRequest, SplitRange } from '../../../connectors/connector.js';
import {
  context,
  failureOf,
  openSource,
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

const kindsOf = (ranges: readonly SplitRange[]) => [...new Set(ranges.map(({ kind }) => kind))];

/** Every row of every split, and how many each had. */
const readAll = async (
  request: SourceRequest<SourceConfig>,
  ranges: readonly SplitRange[],
  snapshot?: string,
) => {
  const parts = [];
  for (const range of ranges) {
    parts.push(await rowsOf(database.source, request, range, snapshot));
  }
  return { rows: parts.flat(), sizes: parts.map(({ length }) => length) };
};

const sorted = (rows: readonly (readonly (string | null)[])[]) =>
  rows.map((row) => JSON.stringify(row)).sort();

const underSnapshot = async <T>(work: (snapshot: string) => Promise<T>): Promise<T> => {
  const held = await database.source.holdSnapshot?.(context());
  if (!held) throw new Error('no snapshot');
  try {
    return await work(held.id);
  } finally {
    await held.release();
  }
};

const contents = async (sql: string) => {
  const { rows } = await database.admin.query<string[]>({ text: sql, rowMode: 'array' });
  return sorted(rows);
};

describe('pages', () => {
  test('are cut without overlap or gap, whatever the sizes', () => {
    const leaf = fc.record({
      schema: fc.constant('s'),
      table: fc.uuid(),
      pages: fc.integer({ min: 0, max: 300 }),
      bytes: fc.integer({ min: 0, max: 5_000_000 }),
    });
    fc.assert(
      fc.property(
        fc.array(leaf, { maxLength: 8 }),
        fc.integer({ min: 1, max: 3e6 }),
        (all, target) => {
          const runs = pageRanges(all, target);
          expect(runs.every((run) => run.length > 0)).toBe(true);
          for (const { table, pages } of all) {
            const own = runs.flat().filter((run) => run.table === table);
            if (pages === 0) expect(own).toEqual([]);
            else {
              expect(own.map(({ from }) => from)).toEqual([
                0,
                ...own.slice(0, -1).map(({ to }) => to),
              ]);
              expect(own.at(-1)?.to).toBeUndefined();
            }
          }
        },
      ),
    );
  });

  test('small relations share a split', () => {
    const leaves = Array.from({ length: 100 }, (_, n) => ({
      schema: 's',
      table: `t${n}`,
      pages: 2,
      bytes: 10_000,
    }));
    expect(pageRanges(leaves, 100_000)).toHaveLength(10);
  });

  test('of a snapshot hold the table as it was, while others change it', async () => {
    const change = fc.record({
      kind: fc.constantFrom('insert', 'update', 'delete', 'vacuum'),
      modulo: fc.integer({ min: 2, max: 9 }),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 3_000 }),
        fc.array(change, { maxLength: 5 }),
        fc.array(change, { maxLength: 5 }),
        fc.integer({ min: 8_192, max: 60_000 }),
        async (count, before, meanwhile, targetBytes) => {
          const writer = database.admin;
          const apply = async (changes: typeof before) => {
            for (const { kind, modulo } of changes) {
              await writer.query(
                {
                  insert: `insert into moving select nextval('ids'), 'new' from generate_series(1, ${modulo * 100})`,
                  update: `update moving set t = t || '+' where id % ${modulo} = 0`,
                  delete: `delete from moving where id % ${modulo} = 1`,
                  vacuum: 'vacuum moving',
                }[kind],
              );
            }
          };
          await writer.query(`drop table if exists moving; drop sequence if exists ids;
            create sequence ids; create table moving (id int, t text)`);
          await writer.query(
            `insert into moving select nextval('ids'), repeat('x', i % 50) from generate_series(1, $1) i`,
            [count],
          );
          await apply(before);
          await underSnapshot(async (snapshot) => {
            const expected = await contents('select id::text, nullif(t, $$$$) from moving');
            const request = { config: { table: 'moving', columns: ['id', 't'] } };
            const [first, ...later] = meanwhile;
            await apply(first ? [first] : []);
            const ranges = await rangesOf(
              database.source,
              request,
              'snapshot',
              targetBytes,
              snapshot,
            );
            const [one, ...others] = ranges;
            const begun = one ? await readAll(request, [one], snapshot) : { rows: [] };
            await apply(later);
            const rest = await readAll(request, others, snapshot);
            const all = [...begun.rows, ...rest.rows].map(([id, t]) => [id ?? null, t || null]);
            expect(sorted(all)).toEqual(expected);
          });
        },
      ),
      { numRuns: 15 },
    );
  });

  test('are read by a scan of their range', async () => {
    await database.admin.query(`create table scanned as
      select i, repeat('x', 100) as t from generate_series(1, 20000) i; analyze scanned`);
    const config = { table: 'scanned', where: `t <> ''` };
    const pages = { schema: 'public', table: 'scanned', from: 10, to: 20 };
    const { rows } = await database.admin.query<{ 'QUERY PLAN': string }>(
      `explain ${selectSql({ config }, { pages }, 'public')}`,
    );
    expect(rows.map((row) => row['QUERY PLAN']).join('\n')).toMatch(/^Tid Range Scan on scanned/);
  });

  test('with conditions, of tables with parts: leaves, sub-partitions and heirs', async () => {
    await database.admin.query(`
      create schema elsewhere;
      create table parts (id int, r text, d date) partition by range (id);
      create table "parts 1" partition of parts for values from (0) to (1000);
      create table parts2 partition of parts for values from (1000) to (5000) partition by list (r);
      create table elsewhere.parts2a (d date, dropped int, id int, r text);
      alter table elsewhere.parts2a drop column dropped;
      alter table parts2 attach partition elsewhere.parts2a for values in ('a');
      create table parts2b partition of parts2 default;
      create table parts3 partition of parts for values from (5000) to (9000);
      insert into parts select i, chr(97 + i % 3), date '2026-01-01' + i % 100
        from generate_series(0, 4999) i;
      create table base (id int not null, t text);
      create table heir (more int) inherits (base);
      insert into base select i, 'base' from generate_series(1, 2000) i;
      insert into heir select i, 'heir', 1 from generate_series(1, 2000) i`);
    for (const [table, where, columns] of [
      ['parts', `parts.id % 7 <> 0 and r <> 'c'`, ['d', 'id', 'r']],
      ['base', 'id > 10 -- most', ['id', 't']],
    ] as const) {
      const request = { config: { table, where, columns } };
      await underSnapshot(async (snapshot) => {
        const ranges = await rangesOf(database.source, request, 'snapshot', 40_000, snapshot);
        expect(ranges.length).toBeGreaterThan(3);
        expect(kindsOf(ranges)).toEqual(['pages']);
        const { rows } = await readAll(request, ranges, snapshot);
        expect(sorted(rows)).toEqual(
          await contents(
            `select ${columns.map((c) => `${c}::text`).join(', ')} from ${table} where ${where}\n`,
          ),
        );
      });
    }
  });

  test('of a table that was emptied, rewritten or replaced meanwhile are lost', async () => {
    for (const change of [
      'truncate lost',
      'vacuum full lost',
      'alter table lost rename to lost_too; create table lost (like lost_too)',
      'alter table lost alter column a type bigint',
    ]) {
      await database.admin.query(`drop table if exists lost, lost_too;
        create table lost as select i as a from generate_series(1, 5000) i`);
      const request = { config: { table: 'lost' } };
      await underSnapshot(async (snapshot) => {
        const ranges = await rangesOf(database.source, request, 'snapshot', 20_000, snapshot);
        await database.admin.query(change);
        const failure = await failureOf(readAll(request, ranges, snapshot));
        expect(['snapshot_lost', 'schema_drift']).toContain(failure.code);
        const again = rangesOf(database.source, request, 'snapshot', 20_000, snapshot);
        expect((await failureOf(again)).code).toBe('snapshot_lost');
      });
    }
  });
});

describe('key ranges', () => {
  test('are half-open, and open at both ends', () => {
    expect(keyRanges(['a'], [['1'], ['2']])).toEqual([
      { key: ['a'], to: ['1'] },
      { key: ['a'], from: ['1'], to: ['2'] },
      { key: ['a'], from: ['2'] },
    ]);
    expect(keyRanges(['a'], [])).toEqual([{ key: ['a'] }]);
  });

  test.each([
    ['numbers that lie unevenly', 'k bigint primary key', '(i ^ 3)::bigint'],
    ['numbers below zero and fractions', 'k numeric(20,4) primary key', '(i - 4000) / 7.0'],
    ['texts', 'k text primary key', `md5(i::text) || ' ''\\ "'`],
    ['blank-padded texts', 'k char(12) primary key', `'k' || i`],
    ['ids', 'k uuid primary key', 'md5(i::text)::uuid'],
    ['moments', 'k timestamptz primary key', `timestamptz '2026-01-01' + i * interval '1 ms'`],
    ['floating numbers', 'k double precision primary key', 'sqrt(i)'],
    ['bytes', 'k bytea primary key', `decode(md5(i::text), 'hex')`],
    ['a domain', 'k short primary key', `'x' || i`],
    ['a unique index', 'k int not null unique, n int unique', 'i, nullif(i, 5)'],
  ])('hold every row once: %s', async (_what, columns, expression) => {
    await database.admin.query(`drop table if exists keyed; drop domain if exists short;
      create domain short as varchar(20); create table keyed (${columns});
      insert into keyed select ${expression} from generate_series(1, 8000) i; analyze keyed`);
    const request = { config: { table: 'keyed', columns: ['k'] } };
    const facts = await database.source.facts(request, context());
    expect(facts.consistencies).toEqual(['snapshot', 'per_row', 'single']);
    const ranges = await rangesOf(database.source, request, 'per_row', 50_000);
    expect(kindsOf(ranges)).toEqual(['keys']);
    const { rows, sizes } = await readAll(request, ranges);
    expect(sorted(rows)).toEqual(await contents('select k::text from keyed'));
    expect(ranges.length).toBeGreaterThan(3);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(2 * Math.min(...sizes));
  });

  test('of several columns cut within equal leading ones', async () => {
    await database.admin
      .query(`create table "comp" (a int, "B c" text, v int, primary key (a, "B c"));
      insert into comp select i % 2, 'k' || i, i from generate_series(1, 8000) i; analyze comp`);
    const request = { config: { table: 'comp', columns: ['v'], where: 'v > 100' } };
    const ranges = await rangesOf(database.source, request, 'per_row', 50_000);
    const { rows, sizes } = await readAll(request, ranges);
    expect(sorted(rows)).toEqual(await contents('select v::text from comp where v > 100'));
    expect(ranges.length).toBeGreaterThan(3);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(2 * Math.min(...sizes));
  });

  test('come from a sample where the table is large, and from the rows that are wanted', async () => {
    await database.admin.query(`create table wide (id int primary key, t text);
      insert into wide select i, repeat('x', 500) from generate_series(1, 30000) i; analyze wide`);
    const request = {
      config: { table: 'wide', columns: ['id'] },
      bounds: { column: 'id', above: '15000' },
    };
    const ranges = await rangesOf(database.source, request, 'per_row', 2_000_000);
    expect(ranges.length).toBeGreaterThan(2);
    const { rows, sizes } = await readAll(request, ranges);
    expect(new Set(rows.map(([id]) => id)).size).toBe(15_000);
    expect(rows).toHaveLength(15_000);
    expect(Math.min(...sizes)).toBeGreaterThan(0);
    const few = { ...request, bounds: { column: 'id', above: '29990' } };
    for (const consistency of ['per_row', 'snapshot'] as const) {
      expect(kindsOf(await rangesOf(database.source, few, consistency, 100_000))).toEqual(['all']);
    }
  });

  test('read no key twice and miss none that was there all the time', async () => {
    await database.admin.query(`create table busy (id int primary key, n int not null);
      insert into busy select i * 2, 0 from generate_series(1, 10000) i; analyze busy`);
    const request = { config: { table: 'busy' } };
    const ranges = await rangesOf(database.source, request, 'per_row', 40_000);
    expect(ranges.length).toBeGreaterThan(5);
    const writer = await database.connect();
    const seen: string[] = [];
    for (const [n, range] of ranges.entries()) {
      await writer.query('update busy set n = n + 1 where id % 3 = $1', [n % 3]);
      await writer.query(
        'insert into busy select i * 2 + 1, 0 from generate_series($1::int, $2) i',
        [n * 10, n * 10 + 9],
      );
      const rows = await rowsOf(database.source, request, range);
      seen.push(...rows.map(([id]) => id ?? ''));
    }
    await writer.end();
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen.filter((id) => Number(id) % 2 === 0)).toHaveLength(10_000);
  });
});

describe('what a source offers', () => {
  beforeAll(async () => {
    await database.admin.query(`
      create table keyless (a int unique, b int);
      create view seen as select * from keyless;
      create materialized view mat as select 1 as a;
      create extension if not exists postgres_fdw;
      create server far foreign data wrapper postgres_fdw options (
        host '${database.config.host}', port '${database.config.port ?? 5432}',
        dbname '${database.config.database}');
      create user mapping for current_user server far options (
        user '${database.config.user}', password '${database.config.password ?? ''}');
      create foreign table foreign_one (a int) server far options (table_name 'keyless');
      create table mixed (a int) partition by list (a);
      create table mixed1 partition of mixed for values in (1);
      create foreign table mixed2 partition of mixed for values in (2) server far
        options (table_name 'keyless');
      create table guarded (a int primary key) partition by list (a);
      create table guarded1 partition of guarded for values in (1);
      create role plain_reader login password 'secret';
      grant select on guarded to plain_reader`);
  });
  afterAll(() => database.admin.query('drop owned by plain_reader; drop role plain_reader'));

  test.each([
    ['keyless', ['snapshot', 'single']],
    ['seen', ['single']],
    ['mat', ['snapshot', 'single']],
    ['foreign_one', ['single']],
    ['mixed', ['single']],
    ['guarded', ['snapshot', 'per_row', 'single']],
  ])('%s', async (table, consistencies) => {
    const facts = await database.source.facts({ config: { table } }, context());
    expect(facts.consistencies).toEqual(consistencies);
  });

  test('per_row without a key is refused', async () => {
    const work = rangesOf(database.source, { config: { table: 'keyless' } }, 'per_row', 1);
    expect(await failureOf(work)).toMatchObject({
      code: 'config_invalid',
      message: expect.stringContaining('no primary key') as string,
    });
  });

  test('parts that only their whole may be read through are read through it', async () => {
    const reader = openSource({ ...database.config, user: 'plain_reader', password: 'secret' });
    await database.admin.query('insert into guarded values (1)');
    const request = { config: { table: 'guarded' } };
    const ranges = await rangesOf(reader, request, 'snapshot', 1);
    expect(kindsOf(ranges)).toEqual(['keys']);
    expect(await rowsOf(reader, request, ranges[0] ?? {})).toEqual([['1']]);
  });
});
