import type { Column } from '../../../connectors/connector.js';
import type { TableConfig } from '../../../connectors/tableNodes.js';
import { columnsOf, loader, newDelivery, startTargetDatabase } from './destinationTesting.js';
import type { Row, TargetDatabase } from './destinationTesting.js';
import { failureOf } from './sourceTesting.js';

let database: TargetDatabase;
const columns = columnsOf('id integer?', 'code text?', 'ref integer?', 'born date?');

beforeAll(async () => {
  database = await startTargetDatabase();
  await database.admin.query(`create table parents (id integer primary key);
    insert into parents values (1);
    create domain even as integer check (value % 2 = 0)`);
});
afterAll(() => database.drop());

const fussy = async (table: string): Promise<void> => {
  await database.admin.query(`create table ${table} (
      id integer primary key, code varchar(5) not null constraint ${table}_code check (code <> 'bad'),
      ref integer references parents deferrable initially deferred,
      born date, unique (code));
    insert into ${table} values (1000000, 'there', 1, null)`);
};

const start = async (node: TableConfig, of: readonly Column[] = columns) => {
  const load = loader(database.destination, node, of);
  const delivery = newDelivery();
  await load.prepare(delivery);
  return { ...load, delivery };
};

/** One of each kind among good ones, and where they are. */
const mixed: Row[] = [
  [1, 'a', 1, '2020-01-01'],
  ['x', 'b', 1, null],
  [2, 'line\nb', 1, null],
  [3, 'ä', 1, null],
  [4, null, 1, null],
  [5, 'bad', 1, null],
  [6, 'toolong', 1, null],
  [7, 'c', 99, null],
  [3000000000, 'd', 1, null],
  [8, 'e', 1, '2020-02-31'],
  [9, 'f', 1, null],
  [9, 'g', 1, null],
  [1000000, 'h', 1, null],
  [10, 'there', 1, null],
  [11, 'nul\0', 1, null],
  [12, 'i', null, null],
];

const expectedOf = (table: string) => [
  { row: 1, code: 'malformed', column: 'id' },
  { row: 2, code: 'value_out_of_range' },
  { row: 4, code: 'constraint_violation', column: 'code' },
  {
    row: 5,
    code: 'constraint_violation',
    message: expect.stringContaining(`${table}_code`) as string,
  },
  { row: 6, code: 'value_out_of_range', column: 'code' },
  { row: 7, code: 'constraint_violation' },
  { row: 8, code: 'value_out_of_range', column: 'id' },
  { row: 9, code: 'value_out_of_range', column: 'born' },
  {
    row: 11,
    code: 'constraint_violation',
    message: expect.stringContaining(`${table}_pkey`) as string,
  },
  { row: 12, code: 'constraint_violation' },
  {
    row: 13,
    code: 'constraint_violation',
    message: expect.stringContaining(`${table}_code_key`) as string,
  },
  { row: 14, code: 'malformed' },
];

const without = (rows: readonly Row[], bad: readonly { row: number }[]): Row[] => {
  const away = new Set(bad.map(({ row }) => row));
  return rows.filter((_, at) => !away.has(at));
};

test('an append finds each row that the table refuses, and takes all others', async () => {
  await fussy('pick');
  const { delivery, ...load } = await start({ table: 'pick', mode: 'append' });
  expect(await failureOf(load.write(delivery, 0, mixed))).toMatchObject({
    code: 'destination_constraint_violation',
  });
  const bad = await load.findBadRows(delivery, 0, mixed);
  expect(bad).toMatchObject(expectedOf('pick'));
  for (const { message } of bad) expect(message).not.toMatch(/toolong|3000000000|there|nul/);
  // Nothing of the trial is left.
  expect(await database.ask('select count(*)::int from pick')).toEqual([[1]]);
  const good = without(mixed, bad);
  expect(await load.write(delivery, 0, good)).toMatchObject({ counts: { rows: good.length } });
});

test('a replace finds them where its rows gather, without those that will be gone', async () => {
  await fussy('whole');
  const { delivery, ...load } = await start({ table: 'whole', mode: 'replace' });
  const bad = await load.findBadRows(delivery, 0, mixed);
  const rows = [1, 2, 4, 5, 6, 7, 8, 9, 11, 14];
  expect(bad.map(({ row }) => row)).toEqual(rows);
  await load.write(delivery, 0, without(mixed, bad));
  await load.publish(delivery);
  expect(await database.ask('select count(*)::int from whole')).toEqual([
    [mixed.length - rows.length],
  ]);
});

test('an upsert takes a key that is there, and finds what breaks other rules', async () => {
  await fussy('merged');
  const { delivery, ...load } = await start({
    table: 'merged',
    mode: 'upsert',
    keys: ['id'],
    orderBy: [{ column: 'born', direction: 'asc' }],
  });
  const rows: Row[] = [...mixed, [null, 'z', 1, null]];
  const bad = await load.findBadRows(delivery, 0, rows);
  expect(bad.map(({ row }) => row)).toEqual([1, 2, 4, 5, 6, 7, 8, 9, 14, 16]);
  expect(bad.at(-1)).toMatchObject({ code: 'constraint_violation', column: 'id' });
});

test('an upsert does not take a key that comes twice for a bad row', async () => {
  await fussy('repeats');
  const { delivery, ...load } = await start({ table: 'repeats', mode: 'upsert', keys: ['id'] });
  const rows: Row[] = [
    [1, 'a', 1, null],
    [1, 'b', 1, null],
    [2, 'bad', 1, null],
  ];
  expect(await load.findBadRows(delivery, 0, rows)).toMatchObject([{ row: 2 }]);
});

test('a delete needs keys that can be read, and nothing else', async () => {
  await fussy('less');
  const { delivery, ...load } = await start({ table: 'less', mode: 'delete', keys: ['id'] });
  const bad = await load.findBadRows(delivery, 0, mixed);
  expect(bad.map(({ row }) => row)).toEqual([1, 8, 14]);
});

test('columns without a place, domains and triggers are no obstacle', async () => {
  await database.admin.query(`create table odd (id even, code text);
    create function no_nine() returns trigger language plpgsql as
      $$ begin if new.id = 8 then raise 'secret %', new.code; end if; return new; end $$;
    create trigger no_nine before insert on odd for each row execute function no_nine()`);
  const { delivery, ...load } = await start({
    table: 'odd',
    mode: 'append',
    onSchemaChange: 'ignore',
  });
  const rows: Row[] = [2, 3, 4, 8, 10].map((id) => [id, 'x', 1, 'no date']);
  const bad = await load.findBadRows(delivery, 0, rows);
  expect(bad).toMatchObject([
    { row: 1, code: 'constraint_violation' },
    { row: 3, code: 'constraint_violation' },
  ]);
  expect(JSON.stringify(bad)).not.toContain('secret');
});

test('it stops after as many as are asked for', async () => {
  await database.admin.query('create table few (id integer, code text, ref integer, born date)');
  const { delivery, ...load } = await start({ table: 'few', mode: 'append' });
  const rows: Row[] = Array.from({ length: 500 }, (_, at) => [at % 2 ? 'x' : at, 'c', 1, null]);
  const bad = await load.findBadRows(delivery, 0, rows, 3);
  expect(bad.map(({ row }) => row)).toEqual([1, 3, 5]);
});

test('many among many are found, whichever way they are bad', async () => {
  await database.admin.query(
    'create table crowd (id integer unique, code text check (code > $$$$), ref integer, born date)',
  );
  const { delivery, ...load } = await start({ table: 'crowd', mode: 'append' });
  const expected: number[] = [];
  const rows: Row[] = Array.from({ length: 20_000 }, (_, at) => {
    if (at % 97 !== 50) return [at, 'with\nbreak', 1, null];
    expected.push(at);
    return at % 2 ? [at, '', 1, null] : ['x', 'y', 1, null];
  });
  const bad = await load.findBadRows(delivery, 0, rows);
  expect(bad.map(({ row }) => row)).toEqual(expected);
});

test('a table that is not there any more is no row that is bad', async () => {
  await database.admin.query(
    'create table fleeting (id integer, code text, ref integer, born date)',
  );
  const { delivery, ...load } = await start({ table: 'fleeting', mode: 'append' });
  await database.admin.query('drop table fleeting');
  expect(await failureOf(load.findBadRows(delivery, 0, mixed))).toMatchObject({
    code: 'schema_drift',
  });
});
