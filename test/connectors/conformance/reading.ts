/** Sources: every row once, each split for itself, and an end when somebody says so. */
import type {
  Consistency,
  Source,
  SourceRequest,
  SplitRange,
} from '../../../connectors/connector.js';
import { bytesOf, context, failureOf, parseCsv } from '../postgres/sourceTesting.js';
import { waitFor } from '../../support/wait.js';
import type { Check } from './check.js';
import { databaseOf, method, required } from './check.js';
import { contentsOf, create, fill, nobodyLeft, pairs, sourceOf } from './tables.js';

type Rows = (string | null)[][];

export const readRange = async (
  source: Source,
  request: SourceRequest,
  range: SplitRange,
  snapshot?: string,
): Promise<Rows> => {
  const options = { format: 'csv' as const, ...(snapshot === undefined ? {} : { snapshot }) };
  const read = source.readBulk(request, range, options, context());
  const bytes = await bytesOf(read);
  const rows = parseCsv(bytes.toString());
  expect(read.counts()).toEqual({ rows: rows.length, bytes: bytes.length });
  return rows;
};

export const rangesOf = async (
  source: Source,
  request: SourceRequest,
  consistency: Consistency,
  targetBytes: number,
  snapshot?: string,
): Promise<SplitRange[]> => {
  const options = { consistency, targetBytes, ...(snapshot === undefined ? {} : { snapshot }) };
  const { ranges } = await source.splits(request, options, context());
  // They are kept as JSON between the plan and the reads.
  return JSON.parse(JSON.stringify(ranges)) as SplitRange[];
};

export const readAll = async (source: Source, request: SourceRequest): Promise<Rows> => {
  const parts = [];
  for (const range of await rangesOf(source, request, 'single', 1e9)) {
    parts.push(...(await readRange(source, request, range)));
  }
  return parts;
};

const underSnapshot = async <T>(
  source: Source,
  consistency: Consistency,
  work: (snapshot?: string) => Promise<T>,
): Promise<T> => {
  if (consistency !== 'snapshot') return work();
  const held = await method(source, 'holdSnapshot')(context());
  try {
    return await work(held.id);
  } finally {
    await held.release();
  }
};

const sorted = (rows: Rows): string[] => rows.map((row) => JSON.stringify(row)).sort();

/** In every consistency the source offers: how many splits there were, and that each holds alone. */
const readInSplits = async (
  source: Source,
  other: Source,
  request: SourceRequest,
  targetBytes: number,
  expected: (rows: Rows) => void,
): Promise<number> => {
  const { consistencies } = await source.facts(request, context());
  expect(consistencies).toContain('single');
  let most = 0;
  for (const consistency of consistencies) {
    await underSnapshot(source, consistency, async (snapshot) => {
      const ranges = await rangesOf(source, request, consistency, targetBytes, snapshot);
      if (consistency === 'single') expect(ranges).toHaveLength(1);
      const parts = [];
      for (const range of ranges) parts.push(await readRange(source, request, range, snapshot));
      expected(parts.flat());
      // As after a crash: by a connector that knows nothing, from the last to the first.
      for (const [index, range] of [...ranges.entries()].reverse()) {
        expect(sorted(await readRange(other, request, range, snapshot))).toEqual(
          sorted(parts[index] ?? []),
        );
      }
      most = Math.max(most, ranges.length);
    });
  }
  return most;
};

const needsTables = ['source.table'] as const;

export const readChecks: readonly Check[] = [
  {
    name: 'splits hold every row once, and each can be read again alone',
    part: 'read',
    capabilities: needsTables,
    run: async (trial) => {
      const database = databaseOf(trial);
      const table = trial.freshName('s');
      await create(database, pairs(database, table));
      await fill(database, table, 5_000, 200);
      const all = await contentsOf(database, table);
      const [source, other] = [await sourceOf(trial), await sourceOf(trial)];
      const splits = await readInSplits(source, other, { config: { table } }, 100_000, (rows) => {
        expect(sorted(rows)).toEqual(all);
      });
      expect(splits).toBeGreaterThan(3);
    },
  },
  {
    name: 'rows of its own hold together in splits, and each can be read again alone',
    part: 'read',
    capabilities: ['source.generate', 'source.inline'],
    run: async (trial) => {
      const { config, expected } = required(trial.system.rows, 'rows');
      const [source, other] = [await sourceOf(trial), await sourceOf(trial)];
      await readInSplits(source, other, { config }, 100_000, (rows) => {
        expect(rows).toHaveLength(expected);
        expect(new Set(sorted(rows)).size).toBe(expected);
      });
    },
  },
  {
    name: 'NULL, the empty text, quotes, line breaks and any letter are read as they are',
    part: 'read',
    capabilities: needsTables,
    run: async (trial) => {
      const database = databaseOf(trial);
      const table = trial.freshName('v');
      await create(database, pairs(database, table));
      const texts = [
        '',
        '""',
        `it's`,
        'a,b',
        'a\nb',
        'a\r\nb',
        '\\N',
        '\\',
        'NULL',
        'ü 表 🎉',
        ' x ',
      ];
      const values = texts.map((text, index) => `(${index + 1}, ${database.literal(text)})`);
      await database.run(
        `insert into ${database.quote(table)} (id, name) values ${values.join(', ')}, (99, null)`,
      );
      const source = await sourceOf(trial);
      const rows = await readAll(source, { config: { table } });
      expect(sorted(rows)).toEqual(
        sorted([...texts.map((text, index) => [String(index + 1), text]), ['99', null]]),
      );
      const { columns } = await source.facts({ config: { table } }, context());
      expect(columns).toMatchObject([
        { name: 'id', nullable: false },
        { name: 'name', nullable: true },
      ]);
    },
  },
  {
    name: 'columns and conditions of a node hold',
    part: 'read',
    capabilities: needsTables,
    run: async (trial) => {
      const database = databaseOf(trial);
      const table = trial.freshName('w');
      await create(database, pairs(database, table));
      await fill(database, table, 20);
      const source = await sourceOf(trial);
      const config = { table, schema: database.schema, columns: ['id'], where: 'id > 5 or id = 1' };
      const window = { column: 'id', from: '1', to: '8' };
      expect(sorted(await readAll(source, { config: { ...config, window } }))).toEqual(
        sorted([['1'], ['6'], ['7']]),
      );
      const bounds = { column: 'id', above: '6', upTo: '9' };
      expect(sorted(await readAll(source, { config, bounds }))).toEqual(
        sorted([['7'], ['8'], ['9']]),
      );
      expect(await readAll(source, { config, bounds: { column: 'id', upTo: null } })).toEqual([]);
    },
  },
  {
    name: 'the highest value of a column',
    part: 'read',
    capabilities: needsTables,
    run: async (trial) => {
      const database = databaseOf(trial);
      const table = trial.freshName('h');
      await create(database, pairs(database, table));
      const source = await sourceOf(trial);
      const highest = () => method(source, 'highest')({ config: { table } }, 'id', context());
      expect(await highest()).toBeNull();
      await fill(database, table, 120);
      expect(await highest()).toBe('120');
    },
  },
  {
    name: 'a query is read, with a comment and a semicolon',
    part: 'read',
    capabilities: ['source.query'],
    run: async (trial) => {
      const { numbers } = databaseOf(trial);
      const source = await sourceOf(trial);
      const sql = `select n, -- two of them\n n * 2 as twice from (${numbers(3)}) t;\n`;
      const rows = await readAll(source, { config: { sql } });
      expect(sorted(rows)).toEqual(
        sorted([
          ['1', '2'],
          ['2', '4'],
          ['3', '6'],
        ]),
      );
    },
  },
  {
    name: 'a table that is not there is said to be missing',
    part: 'read',
    capabilities: needsTables,
    run: async (trial) => {
      const source = await sourceOf(trial);
      const config = { table: trial.freshName('nobody') };
      expect(await failureOf(source.facts({ config }, context()))).toMatchObject({
        code: 'schema_drift',
      });
    },
  },
  {
    name: 'a row beyond the cap is set aside by its length',
    part: 'read',
    capabilities: needsTables,
    run: async (trial) => {
      const database = databaseOf(trial);
      const table = trial.freshName('b');
      await create(database, pairs(database, table));
      const long = database.longText(1_000_000);
      await database.run(
        `insert into ${database.quote(table)} (id, name) values (1, 'a'), (2, ${long}), (3, 'b')`,
      );
      const source = await sourceOf(trial, { maxRowBytes: 100_000 });
      const request = { config: { table } };
      const [range = {}] = await rangesOf(source, request, 'single', 1);
      const read = source.readBulk(request, range, { format: 'csv' }, context());
      const rows = parseCsv((await bytesOf(read)).toString());
      expect(sorted(rows)).toEqual(
        sorted([
          ['1', 'a'],
          ['3', 'b'],
        ]),
      );
      expect(read.counts().rows).toBe(2);
      expect(read.rejected()).toMatchObject([{ row: 1, code: 'row_too_large' }]);
    },
  },
  {
    name: 'a read ends when it is told to, on the server too',
    part: 'read',
    capabilities: ['source.query'],
    run: async (trial) => {
      const database = databaseOf(trial);
      const source = await sourceOf(trial);
      const request = { config: { sql: required(database.endless, 'endless query') } };
      const stop = new AbortController();
      const work = (async () => {
        const options = { consistency: 'single' as const, targetBytes: 1 };
        const { ranges } = await source.splits(request, options, context(stop.signal));
        const [range = {}] = ranges;
        const ctx = context(stop.signal);
        await bytesOf(source.readBulk(request, range, { format: 'csv' }, ctx));
      })().catch(String);
      await waitFor(async () => (await database.sessions()) > 0, {
        timeoutMs: 20_000,
        what: 'the read to run',
      });
      stop.abort(new Error('enough'));
      expect(await work).toContain('enough');
      await nobodyLeft(database);
    },
  },
  {
    name: 'no longer taking rows ends a read, on the server too',
    part: 'read',
    capabilities: ['source.query'],
    run: async (trial) => {
      const database = databaseOf(trial);
      const source = await sourceOf(trial);
      const sql = `select n, ${database.longText(1000)} as x from (${database.numbers(200_000)}) t`;
      const request = { config: { sql } };
      const [range = {}] = await rangesOf(source, request, 'single', 1);
      const read = source.readBulk(request, range, { format: 'csv' }, context());
      for await (const chunk of read.chunks) {
        expect(chunk.length).toBeGreaterThan(0);
        break;
      }
      await nobodyLeft(database);
    },
  },
];
