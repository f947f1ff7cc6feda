/** What is MariaDB's own about loading and reading, beyond what every system has to do. */
import { makeDestination } from '../../connectors/mysql/destination.js';
import type { MysqlConfig } from '../../connectors/mysql/manifest.js';
import { makeSource } from '../../connectors/mysql/source.js';
import type { Column, Delivery } from '../../connectors/connector.js';
import { RunFailure } from '../../core/failures.js';
import { localDirectories } from '../support/anywhere.js';
import type { Database, System } from '../connectors/conformance/harness.js';
import { startMariadb } from '../connectors/mysql/harness.js';
import { newDelivery, readOf, splitOf } from '../connectors/postgres/destinationTesting.js';
import type { Row } from '../connectors/postgres/destinationTesting.js';
import { bytesOf, context, failureOf, net } from '../connectors/postgres/sourceTesting.js';

let system: System;
let database: Database;

beforeAll(async () => {
  system = await startMariadb();
  if (!system.database) throw new Error('no database');
  database = system.database;
});
afterAll(() => system.stop());

const deps = { net, maxRowBytes: 1_000_000, localDirectories };
const destination = () =>
  makeDestination(system.config as MysqlConfig, { ...deps, role: 'destination' });
const source = () => makeSource(system.config as MysqlConfig, { ...deps, role: 'source' });

const columns: readonly Column[] = [
  { name: 'id', type: { kind: 'integer' }, nullable: false },
  { name: 'name', type: { kind: 'text' }, nullable: true },
];

const write = (config: { table: string }, delivery: Delivery, split: number, rows: Row[]) =>
  destination().writeBulk(
    config,
    splitOf(delivery, split),
    readOf(columns, rows),
    () => undefined,
    context(),
  );

const now = async (table: string): Promise<string> =>
  JSON.stringify(await database.run(`select id, name from ${table} order by id`));

const readSql = async (sql: string): Promise<string> => {
  const request = { config: { sql } };
  const options = { targetBytes: 1e9, consistency: 'single' } as const;
  const { ranges } = await source().splits(request, options, context());
  const read = source().readBulk(request, ranges[0] ?? {}, { format: 'csv' }, context());
  return (await bytesOf(read)).toString();
};

it('appends to a table of others all at once, and takes back only what is not yet there', async () => {
  await database.run('create table others (id int primary key, name varchar(20))');
  await database.run(`insert into others values (1, 'there')`);
  const config = { table: 'others' };
  const delivery = newDelivery();
  expect(await destination().prepare(config, columns, delivery, context())).toMatchObject({
    publishes: true,
  });
  await write(config, delivery, 0, [[2, 'a']]);
  const next = { ...delivery, generation: 1 };
  expect(await destination().startOver(config, next, context())).toEqual({
    splits: 1,
    rowsRemoved: 1,
    rowsMissing: 0,
  });
  await destination().prepare(config, columns, next, context());
  await write(config, next, 0, [[3, 'b']]);
  expect(await now('others')).toBe('[["1","there"]]');
  await destination().publish?.(config, next, context());
  await destination().publish?.(config, next, context());
  expect(await now('others')).toBe('[["1","there"],["3","b"]]');
  const undone = await failureOf(destination().undo(config, next, context()));
  expect(undone.message).toContain('nothing was taken back');
  expect(await now('others')).toBe('[["1","there"],["3","b"]]');
  const late = newDelivery();
  await destination().prepare(config, columns, late, context());
  await write(config, late, 0, [[3, 'again']]);
  const refused = destination().publish?.(config, late, context()) ?? Promise.resolve();
  expect((await failureOf(refused)).code).toBe('destination_constraint_violation');
  expect(await now('others')).toBe('[["1","there"],["3","b"]]');
});

it('finishes a swap that was made before anybody could say so', async () => {
  const config = { table: 'swapped', mode: 'replace' as const };
  await database.run('create table swapped (id int, name text)');
  const delivery = newDelivery();
  await destination().prepare(config, columns, delivery, context());
  await write(config, delivery, 0, [[1, 'new']]);
  await destination().publish?.(config, delivery, context());
  // As if the worker had ended right after the tables were renamed.
  const ours = `root_job = ${database.literal(delivery.rootJobId)}`;
  await database.run(`update _fluxline_commits set done = 0 where split = -1 and ${ours}`);
  await destination().publish?.(config, delivery, context());
  expect(await now('swapped')).toBe('[["1","new"]]');
  expect(
    await database.run(`select count(*) from _fluxline_commits where ${ours} and not done`),
  ).toEqual([['0']]);
  expect(
    await database.run(
      `select table_name from information_schema.tables where table_name regexp '^_fluxline_[0-9a-f]{32}'
         and table_name like '%\\_old'`,
    ),
  ).toEqual([]);
});

it('replaces no table that others refer to', async () => {
  await database.run('create table parent (id int primary key, name text)');
  await database.run(
    'create table child (id int, foreign key of_parent (id) references parent (id))',
  );
  const prepared = destination().prepare(
    { table: 'parent', mode: 'replace' },
    columns,
    newDelivery(),
    context(),
  );
  expect(await failureOf(prepared)).toMatchObject({ code: 'config_invalid' });
});

it('changes no row that is in the way by another index than the keys', async () => {
  await database.run('create table twokeys (id int primary key, name varchar(9) unique)');
  await database.run(`insert into twokeys values (1, 'a')`);
  const config = { table: 'twokeys', mode: 'upsert' as const, keys: ['id'] };
  const delivery = newDelivery();
  await destination().prepare(config, columns, delivery, context());
  for (const rows of [
    [[2, 'a']],
    [
      [3, 'x'],
      [4, 'x'],
    ],
  ] as Row[][]) {
    expect((await failureOf(write(config, delivery, 0, rows))).code).toBe(
      'destination_constraint_violation',
    );
  }
  await write(config, delivery, 0, [[1, 'b']]);
  expect(await now('twokeys')).toBe('[["1","b"]]');
});

it('cuts no text and skips no row, though the server would make warnings of it', async () => {
  await database.run('create table narrow (id tinyint primary key, name varchar(3))');
  const config = { table: 'narrow' };
  const delivery = newDelivery();
  await destination().prepare(config, columns, delivery, context());
  for (const row of [
    [1, 'long'],
    [300, 'a'],
    [null, 'a'],
  ] as Row[]) {
    expect((await failureOf(write(config, delivery, 0, [[5, 'a'], row]))).code).toBe(
      'destination_constraint_violation',
    );
  }
  const twice: Row[] = [
    [5, 'a'],
    [5, 'b'],
  ];
  expect((await failureOf(write(config, delivery, 0, twice))).code).toBe(
    'destination_constraint_violation',
  );
  expect(await write(config, delivery, 0, [[5, 'abc']])).toMatchObject({ counts: { rows: 1 } });
});

it('keeps nothing of a split whose source fails', async () => {
  const config = { table: 'broken' };
  const delivery = newDelivery();
  await destination().prepare(config, columns, delivery, context());
  const fails = readOf(
    columns,
    Array.from({ length: 3000 }, (_, id): Row => [id, 'x']),
    () =>
      Promise.reject(
        new RunFailure({ code: 'source_unreachable', class: 'transient', message: 'gone' }),
      ),
  );
  const work = destination().writeBulk(
    config,
    splitOf(delivery, 0),
    fails,
    () => undefined,
    context(),
  );
  expect((await failureOf(work)).code).toBe('source_unreachable');
  expect(await now('broken')).toBe('[]');
});

it('does not take an end that a limit of the server made for the end of the rows', async () => {
  const sql = 'select seq from seq_1_to_100000 limit rows examined 1000';
  expect((await failureOf(readSql(sql))).code).toBe('count_mismatch');
});

it('writes every kind of value as csv', async () => {
  const sql = `select cast(16777217 as float) as f, cast(0.1 as float) as g, b'101' as bits,
    x'00ff' as bytes, timestamp('2024-01-01') as moment, time('-30:00:00') as span, '' as empty,
    null as nothing, 'a "b"\n' as quoted, 18446744073709551615 as large`;
  expect(await readSql(sql)).toBe(
    '16777216,0.1,\\x05,\\x00ff,2024-01-01 00:00:00,-30:00:00,"",,"a ""b""\n",18446744073709551615\n',
  );
});
