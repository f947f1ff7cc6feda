/** Destinations: every split once, in each mode, and nothing of what did not come to an end. */
import type { Column, Delivery, Destination, WriteResult } from '../../../connectors/connector.js';
import { RunFailure } from '../../../core/failures.js';
import { newDelivery, readOf, spooled, splitOf } from '../postgres/destinationTesting.js';
import type { Row } from '../postgres/destinationTesting.js';
import { context, failureOf } from '../postgres/sourceTesting.js';
import { waitFor } from '../../support/wait.js';
import type { Check, Trial } from './check.js';
import { databaseOf, method, required } from './check.js';
import { contentsOf, create, destinationOf, fill, nobodyLeft, pairs } from './tables.js';

const columns: readonly Column[] = [
  { name: 'id', type: { kind: 'integer' }, nullable: false },
  { name: 'name', type: { kind: 'text' }, nullable: true },
];

const contents = (...rows: Row[]): string[] =>
  rows
    .map((row) => JSON.stringify(row.map((cell) => (cell === null ? null : String(cell)))))
    .sort();

const rowsFrom = (from: number, to: number): Row[] =>
  Array.from({ length: to - from }, (_, index) => [from + index, `row ${from + index}`]);

/** One table, one node, one delivery after the other. */
const loading = async (trial: Trial, node: object) => {
  const database = databaseOf(trial);
  const destination = await destinationOf(trial);
  const table = trial.freshName('d');
  const config = { table, ...node };
  const write = (
    delivery: Delivery,
    split: number,
    rows: readonly Row[],
    {
      to = destination,
      before,
      signal,
    }: {
      to?: Destination;
      before?: () => Promise<void>;
      signal?: AbortSignal;
    } = {},
  ): Promise<WriteResult> =>
    to.writeBulk(
      config,
      splitOf(delivery, split),
      readOf(columns, rows, before),
      () => undefined,
      context(signal),
    );
  let publishes = false;
  const prepare = async (delivery: Delivery) => {
    const prepared = await destination.prepare(config, columns, delivery, context());
    ({ publishes } = prepared);
    return prepared;
  };
  const publish = (delivery: Delivery) =>
    method(destination, 'publish')(config, delivery, context());
  return {
    database,
    destination,
    table,
    config,
    prepare,
    write,
    publish,
    contents: () => contentsOf(database, table),
    /** What there is once a delivery is at its end. */
    outcome: async (delivery: Delivery) => {
      if (publishes) await publish(delivery);
      return contentsOf(database, table);
    },
    /** A delivery of one split. */
    deliver: async (...rows: Row[]): Promise<Delivery> => {
      const delivery = newDelivery();
      await prepare(delivery);
      await write(delivery, 0, rows);
      if (publishes) await publish(delivery);
      return delivery;
    },
  };
};

const part = 'write' as const;
const capabilities = ['destination.table'] as const;

const modeChecks: readonly Check[] = [
  {
    name: 'append creates the table and adds rows',
    part,
    capabilities,
    run: async (trial) => {
      const { prepare, write, outcome, destination } = await loading(trial, {});
      const delivery = newDelivery();
      expect((await prepare(delivery)).formats).toContain('csv');
      const odd: Row[] = [
        [1, ''],
        [2, null],
        [3, 'a "b", c\nd\r\n\\N ü 表 🎉'],
      ];
      expect(await write(delivery, 0, odd)).toMatchObject({
        counts: { rows: 3 },
        coalesced: 0,
        already: false,
      });
      expect(await write(delivery, 1, [])).toMatchObject({ counts: { rows: 0 } });
      expect(await write(delivery, 2, rowsFrom(10, 3010))).toMatchObject({
        counts: { rows: 3000 },
      });
      const committed = await destination.committed(delivery, context());
      expect([...committed.keys()].sort()).toEqual([0, 1, 2]);
      expect(committed.get(2)?.counts.rows).toBe(3000);
      expect(await outcome(delivery)).toEqual(contents(...odd, ...rowsFrom(10, 3010)));
    },
  },
  {
    name: 'replace shows the old rows until it is published, and then only the new ones',
    part,
    capabilities,
    run: async (trial) => {
      const load = await loading(trial, { mode: 'replace' });
      await load.deliver([1, 'old'], [2, 'old']);
      const delivery = newDelivery();
      await load.prepare(delivery);
      await load.write(delivery, 0, [[2, 'new']]);
      await load.write(delivery, 1, [[3, 'new']]);
      expect(await load.contents()).toEqual(contents([1, 'old'], [2, 'old']));
      await load.publish(delivery);
      await load.publish(delivery);
      expect(await load.contents()).toEqual(contents([2, 'new'], [3, 'new']));
    },
  },
  {
    name: 'upsert adds and changes by key, and refuses a key that comes twice',
    part,
    capabilities,
    run: async (trial) => {
      const load = await loading(trial, { mode: 'upsert', keys: ['id'] });
      await load.deliver([1, 'old'], [2, 'old']);
      await load.deliver([2, 'new'], [3, null]);
      expect(await load.contents()).toEqual(contents([1, 'old'], [2, 'new'], [3, null]));
      const twice = load.deliver([4, 'a'], [4, 'b']);
      expect((await failureOf(twice)).code).toBe('duplicate_key');
      expect(await load.contents()).toEqual(contents([1, 'old'], [2, 'new'], [3, null]));
    },
  },
  {
    name: 'upsert with an order writes the first of equal keys, across splits too',
    part,
    capabilities,
    run: async (trial) => {
      const orderBy = [{ column: 'name', direction: 'desc' }];
      const load = await loading(trial, { mode: 'upsert', keys: ['id'], orderBy });
      const delivery = newDelivery();
      await load.prepare(delivery);
      const first: Row[] = [
        [1, 'a'],
        [1, 'c'],
        [1, 'b'],
        [2, 'z'],
      ];
      expect(await load.write(delivery, 0, first)).toMatchObject({
        counts: { rows: 2 },
        coalesced: 2,
      });
      await load.write(delivery, 1, [
        [1, 'd'],
        [2, 'y'],
      ]);
      expect(await load.outcome(delivery)).toEqual(contents([1, 'd'], [2, 'z']));
    },
  },
  {
    name: 'delete removes the rows of its keys and counts those it does not find',
    part,
    capabilities,
    run: async (trial) => {
      const load = await loading(trial, { mode: 'delete', keys: ['id'] });
      await create(load.database, pairs(load.database, load.table));
      await fill(load.database, load.table, 4);
      const delivery = newDelivery();
      await load.prepare(delivery);
      const gone: Row[] = [
        [1, null],
        [3, null],
        [77, null],
      ];
      expect(await load.write(delivery, 0, gone)).toMatchObject({
        counts: { rows: 2 },
        coalesced: 1,
      });
      expect(
        (await load.contents()).map((row) => Number((JSON.parse(row) as string[])[0])),
      ).toEqual([2, 4]);
    },
  },
];

const onceChecks: readonly Check[] = [
  {
    name: 'written twice with one marker is written once',
    part,
    capabilities,
    run: async (trial) => {
      const load = await loading(trial, {});
      const delivery = newDelivery();
      await load.prepare(delivery);
      const first = await load.write(delivery, 0, rowsFrom(0, 50));
      const again = await load.write(delivery, 0, rowsFrom(0, 50), {
        to: await destinationOf(trial),
      });
      expect(again).toEqual({ ...first, already: true });
      expect(await load.outcome(delivery)).toEqual(contents(...rowsFrom(0, 50)));
    },
  },
  {
    name: 'of two writers with one marker at once, one writes',
    part,
    capabilities,
    run: async (trial) => {
      const load = await loading(trial, {});
      const delivery = newDelivery();
      await load.prepare(delivery);
      const writers = [load.destination, await destinationOf(trial), await destinationOf(trial)];
      const results = await Promise.all(
        writers.map((to) => load.write(delivery, 0, rowsFrom(0, 2000), { to })),
      );
      expect(results.filter(({ already }) => !already)).toHaveLength(1);
      expect(results.map(({ counts }) => counts.rows)).toEqual([2000, 2000, 2000]);
      expect(await load.outcome(delivery)).toEqual(contents(...rowsFrom(0, 2000)));
    },
  },
  {
    name: 'starting over takes back what was appended, and refuses who comes late',
    part,
    capabilities,
    run: async (trial) => {
      const load = await loading(trial, {});
      await load.deliver([1, 'before']);
      const old = newDelivery();
      await load.prepare(old);
      await load.write(old, 0, rowsFrom(10, 20));
      const next = { ...old, generation: 1 };
      expect(await load.destination.startOver(load.config, next, context())).toEqual({
        splits: 1,
        rowsRemoved: 10,
        rowsMissing: 0,
      });
      await load.prepare(next);
      await load.write(next, 0, [[2, 'again']]);
      await expect(load.write(old, 1, rowsFrom(20, 30))).rejects.toThrow(RunFailure);
      expect(await load.outcome(next)).toEqual(contents([1, 'before'], [2, 'again']));
    },
  },
  {
    name: 'undo takes back what was appended, and nothing else',
    part,
    capabilities,
    run: async (trial) => {
      const load = await loading(trial, {});
      await load.deliver([1, 'before']);
      const delivery = await load.deliver(...rowsFrom(10, 20));
      await load.deliver([2, 'after']);
      const { database, table } = load;
      const undone = await load.destination.undo(load.config, delivery, context());
      expect(undone).toEqual({ splits: 1, rowsRemoved: 10, rowsMissing: 0 });
      expect(await contentsOf(database, table)).toEqual(contents([1, 'before'], [2, 'after']));
      expect(await load.destination.undo(load.config, delivery, context())).toMatchObject({
        rowsRemoved: 0,
      });
    },
  },
];

const stopChecks: readonly Check[] = [
  {
    name: 'a write that is stopped midway leaves nothing',
    part,
    capabilities,
    run: async (trial) => {
      const load = await loading(trial, {});
      const delivery = newDelivery();
      await load.prepare(delivery);
      const stop = new AbortController();
      const before = async (): Promise<void> => stop.abort(new Error('enough'));
      const work = load.write(delivery, 0, rowsFrom(0, 5000), { before, signal: stop.signal });
      await expect(work).rejects.toThrow('enough');
      expect(await load.contents()).toEqual([]);
      expect(await load.write(delivery, 0, rowsFrom(0, 10))).toMatchObject({ already: false });
      expect(await load.outcome(delivery)).toEqual(contents(...rowsFrom(0, 10)));
      await nobodyLeft(load.database);
    },
  },
  {
    name: 'a write that waits for somebody ends when it is told to, on the server too',
    part,
    capabilities,
    run: async (trial) => {
      const load = await loading(trial, {});
      const delivery = newDelivery();
      await load.prepare(delivery);
      const lock = await required(load.database.block, 'way to block a table')(load.table);
      try {
        const stop = new AbortController();
        const work = load.write(delivery, 0, [[1, 'a']], { signal: stop.signal }).catch(String);
        await waitFor(() => lock.waiting(), { timeoutMs: 20_000, what: 'the write to wait' });
        stop.abort(new Error('enough'));
        expect(await work).toContain('enough');
        await nobodyLeft(load.database);
      } finally {
        await lock.release();
      }
      expect(await load.contents()).toEqual([]);
    },
  },
  {
    name: 'what a system has against a row names neither the row nor its values',
    part,
    capabilities,
    run: async (trial) => {
      const load = await loading(trial, {});
      await create(load.database, pairs(load.database, load.table));
      const failure = await failureOf(load.deliver([1, 'a'], ['planted-7391', 'planted-7392']));
      expect(failure.code).toBe('destination_constraint_violation');
      expect(JSON.stringify(failure)).not.toMatch(/planted|739/);
      expect(await load.contents()).toEqual([]);
    },
  },
  {
    name: 'rows that would be refused are found, and nothing stays of the search',
    part,
    capabilities,
    run: async (trial) => {
      const load = await loading(trial, {});
      await create(load.database, pairs(load.database, load.table));
      await load.deliver([7, 'there']);
      const delivery = newDelivery();
      await load.prepare(delivery);
      const rows: Row[] = [...rowsFrom(100, 400), [null, 'x'], ['no number', 'y'], [7, 'z']];
      const find = method(load.destination, 'findBadRows');
      const bad = await find(
        load.config,
        splitOf(delivery, 0),
        spooled(columns, rows),
        100,
        context(),
      );
      expect(bad.map(({ row }) => row)).toEqual([300, 301, 302]);
      expect(JSON.stringify(bad)).not.toContain('no number');
      expect(await load.contents()).toEqual(contents([7, 'there']));
    },
  },
];

export const writeChecks: readonly Check[] = [...modeChecks, ...onceChecks, ...stopChecks];
