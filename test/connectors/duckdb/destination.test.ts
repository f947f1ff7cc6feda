/** What the conformance suite leaves out: tables with constraints, and files that others use. */
import type { Destination } from '../../../connectors/connector.js';
import { openConnector } from '../../../connectors/registry.js';
import { localDirectories } from '../../support/anywhere.js';
import {
  columnsOf,
  newDelivery,
  readOf,
  spooled,
  splitOf,
} from '../postgres/destinationTesting.js';
import type { Row } from '../postgres/destinationTesting.js';
import { context, failureOf } from '../postgres/sourceTesting.js';
import { startDuckdb } from './harness.js';
import type { DuckdbSystem } from './harness.js';

let system: DuckdbSystem;
let destination: Destination;

const net = { connect: () => Promise.reject(new Error('a file needs no network')) };

const open = async (config: object = {}): Promise<Destination> => {
  const connector = await openConnector(
    'duckdb',
    { ...system.config, ...config },
    {
      net,
      role: 'destination',
      maxRowBytes: 1024 * 1024,
      localDirectories,
      duckdb: system.duckdb,
    },
  );
  if (!connector.destination) throw new Error('no destination');
  return connector.destination;
};

beforeAll(async () => {
  system = await startDuckdb();
  destination = await open();
});
afterAll(() => system.stop());

const columns = columnsOf('id integer?', 'name text?');

const load = async (node: object, rows: readonly Row[], arriving = columns): Promise<void> => {
  const delivery = newDelivery();
  const { publishes } = await destination.prepare(node, arriving, delivery, context());
  const read = readOf(arriving, rows);
  await destination.writeBulk(node, splitOf(delivery, 0), read, () => undefined, context());
  if (publishes) await destination.publish?.(node, delivery, context());
};

const badOf = async (node: object, rows: readonly Row[], arriving = columns) => {
  const delivery = newDelivery();
  await destination.prepare(node, arriving, delivery, context());
  const spool = spooled(arriving, rows);
  return destination.findBadRows?.(node, splitOf(delivery, 0), spool, 100, context());
};

const ask = (sql: string) => system.database.run(sql);

describe('a table with constraints', () => {
  beforeAll(async () => {
    await ask('create table parent (id integer primary key)');
    await ask('insert into parent values (1), (2), (3), (4), (5), (6)');
    await ask(`create table child (id integer references parent (id), name varchar not null
      check (name <> 'no'), extra integer default 7, unique (name))`);
    await ask('create unique index child_lower on child (lower(name), id)');
    await ask(`insert into child values (1, 'there', 1)`);
  });

  it.each([
    ['a value of no type', ['x', 'a'], 'malformed'],
    ['a fraction in a whole number', ['1.5', 'a'], 'malformed'],
    ['NULL', [1, null], 'constraint_violation'],
    ['a check', [1, 'no'], 'constraint_violation'],
    ['a reference to nothing', [77, 'a'], 'constraint_violation'],
    ['a key that is taken', [2, 'there'], 'constraint_violation'],
  ] as const)('refuses %s, and says which row it is', async (_, row, code) => {
    const node = { table: 'child' };
    const rows: Row[] = [[2, 'good'], row, [3, 'fine']];
    expect((await failureOf(load(node, rows))).code).toBe('destination_constraint_violation');
    expect(await badOf(node, rows)).toMatchObject([{ row: 1, code }]);
    expect(await ask('select count(*) from child')).toEqual([['1']]);
  });

  it('finds a key that comes twice in a split, at the second of them', async () => {
    const rows: Row[] = [
      [1, 'new'],
      [2, 'other'],
      [3, 'new'],
    ];
    expect(await badOf({ table: 'child' }, rows)).toMatchObject([{ row: 2 }]);
  });

  it('keeps what hangs on a table that is replaced', async () => {
    await ask('create view seen as select name from child');
    await load({ table: 'child', mode: 'replace' }, [
      [1, 'there'],
      [4, 'x'],
    ]);
    expect(await ask('select name from seen order by name')).toEqual([['there'], ['x']]);
    expect(await ask('select distinct extra from child')).toEqual([['7']]);
    expect(await ask(`select index_name from duckdb_indexes() where table_name = 'child'`)).toEqual(
      [['child_lower']],
    );
  });

  it('merges into a table without a unique key, and leaves other columns alone', async () => {
    await ask('create table plain (id integer, name varchar, l integer[], extra integer)');
    await ask(`insert into plain values (1, 'old', [1], 10), (2, 'old', [2], 20)`);
    await load({ table: 'plain', mode: 'upsert', keys: ['id'] }, [
      [2, 'new'],
      [3, 'new'],
    ]);
    expect(await ask('select id, name, extra from plain order by id')).toEqual([
      ['1', 'old', '10'],
      ['2', 'new', '20'],
      ['3', 'new', null],
    ]);
  });

  it('refuses a second split with keys of the first where no order decides', async () => {
    const node = { table: 'plain', mode: 'upsert', keys: ['id'] };
    const delivery = newDelivery();
    await destination.prepare(node, columns, delivery, context());
    const write = (split: number, row: Row) =>
      destination.writeBulk(
        node,
        splitOf(delivery, split),
        readOf(columns, [row]),
        () => undefined,
        context(),
      );
    await write(0, [5, 'a']);
    expect((await failureOf(write(1, [5, 'b']))).code).toBe('duplicate_key');
  });
});

describe('the shape of a table', () => {
  const wider = columnsOf('id integer?', 'added text?');

  it('is refused, ignored or evolved', async () => {
    await ask('create table shape (id integer)');
    expect((await failureOf(load({ table: 'shape' }, [[1, 'a']], wider))).code).toBe(
      'schema_drift',
    );
    await load({ table: 'shape', onSchemaChange: 'ignore' }, [[1, 'a']], wider);
    await load({ table: 'shape', onSchemaChange: 'evolve' }, [[2, 'b']], wider);
    expect(await ask('select id, added from shape order by id')).toEqual([
      ['1', null],
      ['2', 'b'],
    ]);
  });

  it('keeps numbers without an exact type as text, and rounds none into another', async () => {
    const numbers = columnsOf('n numeric?', 'd decimal(50,2)?');
    await load({ table: 'numbers' }, [['1.10', '9'.repeat(40)]], numbers);
    expect(await ask('select typeof(n), n, d from numbers')).toEqual([
      ['VARCHAR', '1.10', '9'.repeat(40)],
    ]);
    await ask('create table narrow (n decimal(5, 2), t timestamp_s, d date, f float)');
    const arriving = columnsOf('n numeric?', 't timestamp?', 'd text?', 'f double?');
    const rows: Row[] = [
      ['1.100', '2026-01-01 10:00:00.000', '2026-01-01', '0.5'],
      ['1.234', null, null, null],
      [null, '2026-01-01 10:00:00.5', null, null],
      [null, null, '2026-01-01 10:00', null],
      [null, null, null, '1e300'],
    ];
    expect((await badOf({ table: 'narrow' }, rows, arriving))?.map(({ row }) => row)).toEqual([
      1, 2, 3, 4,
    ]);
  });

  it('cannot be a view', async () => {
    await ask('create view only_seen as select 1 as id, 2 as name');
    expect((await failureOf(load({ table: 'only_seen' }, []))).code).toBe('config_invalid');
  });
});

describe('a delivery', () => {
  it('cannot be taken back once it is in the table, and says so', async () => {
    const node = { table: 'taken' };
    const delivery = newDelivery();
    await destination.prepare(node, columns, delivery, context());
    const write = (split: number) =>
      destination.writeBulk(
        node,
        splitOf(delivery, split),
        readOf(columns, [[split, 'a']]),
        () => undefined,
        context(),
      );
    await write(0);
    await write(1);
    await destination.publish?.(node, delivery, context());
    // Somebody who did not hear of it finds it done.
    await destination.publish?.(node, delivery, context());
    expect(await destination.prepare(node, columns, delivery, context())).toMatchObject({
      publishes: true,
    });
    expect(await write(1)).toMatchObject({ already: true });
    const failure = await failureOf(destination.undo(node, delivery, context()));
    expect(failure.message).toContain('2 rows');
    expect(await ask('select count(*) from taken')).toEqual([['2']]);
  });

  it('is taken back whole before that, and refuses who comes late', async () => {
    const gathered = () =>
      ask(`select table_name from duckdb_tables() where schema_name = '_fluxline' order by all`);
    const node = { table: 'back' };
    const delivery = newDelivery();
    const before = await gathered();
    await destination.prepare(node, columns, delivery, context());
    expect(await gathered()).toHaveLength(before.length + 1);
    const write = (split: number) =>
      destination.writeBulk(
        node,
        splitOf(delivery, split),
        readOf(columns, [[split, 'a']]),
        () => undefined,
        context(),
      );
    await write(0);
    expect(await destination.undo(node, delivery, context())).toEqual({
      splits: 1,
      rowsRemoved: 1,
      rowsMissing: 0,
    });
    expect((await failureOf(write(1))).code).toBe('snapshot_lost');
    expect((await failureOf(destination.prepare(node, columns, delivery, context()))).code).toBe(
      'snapshot_lost',
    );
    expect(await gathered()).toEqual(before);
  });
});
