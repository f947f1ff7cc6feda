/** Names, rows and columns that are easy to get wrong, and tables that are there before. */
import type { Client } from 'pg';
import { code, table } from './markdown.js';
import { quoted, tried, typesIn } from './observe.js';
import type { Refusal } from './observe.js';
import { stepsOf } from './ways.js';
import type { Way } from './ways.js';
import type { World } from './world.js';

interface Shape {
  what: string;
  setup: string;
  config: { table: string } | { sql: string };
  columns: readonly string[];
}

const shapeOf = (what: string, columns: readonly string[], values: string): Shape => {
  const name = `of ${what.replace(/[^a-z ]/g, '')}`;
  const list = columns.map((column) => `${quoted(column)} text`).join(', ');
  return {
    what,
    setup: `create table ${quoted(name)} (${list}); insert into ${quoted(name)} ${values}`,
    config: { table: name },
    columns,
  };
};

const reserved = ['select', 'Group', 'größe', 'имя', 'a b', 'a"b', 'a.b', "a'b", 'a,b', '?column?'];

const shapes: readonly Shape[] = [
  shapeOf(
    'reserved, quoted and other names',
    reserved,
    `values (${reserved.map((_, place) => `'${place}'`).join(', ')})`,
  ),
  shapeOf('names that begin with a colon', [':0', ':1'], `values ('a', 'b')`),
  shapeOf('names that differ in capitals only', ['a', 'A'], `values ('small', 'large')`),
  shapeOf('names of 63 bytes', ['x'.repeat(63)], `values ('a')`),
  shapeOf('a lone column', ['v'], `values (''), (null), ('\\.'), ('NULL'), (E'\\n')`),
  shapeOf('no rows', ['a', 'b'], `select 'a', 'b' where false`),
  {
    what: 'no columns',
    setup: 'create table columnless (); insert into columnless default values',
    config: { table: 'columnless' },
    columns: [],
  },
  {
    what: 'a query with two columns of one name',
    setup: '',
    config: { sql: `select 'a' as v, 'b' as v` },
    columns: ['v', 'v'],
  },
];

const rowsIn = async (client: Client, from: string, columns: readonly string[]): Promise<string[]> => {
  const list = columns.map((column) => `${quoted(column)}::text`).join(', ');
  const { rows } = await client.query({ text: `select ${list} from ${from}`, rowMode: 'array' });
  return rows.map((row) => JSON.stringify(row)).sort();
};

const refusedWith = ({ code: word, message }: Refusal): string =>
  `refused (${code(word)}): ${message.replaceAll('|', '\\|')}`;

const shapeCell = async (
  world: World,
  { config, columns }: Shape,
  way: Way,
  to: string,
): Promise<string> => {
  const inFile = way === 'parquet';
  const carried = await tried(world, {
    from: world.fromDatabase(config),
    steps: stepsOf(way, columns),
    to: inFile ? world.toFiles(to) : world.toDatabase(to),
  });
  if ('code' in carried) return refusedWith(carried);
  if (inFile) {
    const back = await tried(world, {
      from: world.fromFiles(`${to}/*.parquet`),
      steps: [],
      to: world.toDatabase(to),
    });
    if ('code' in back) throw new Error(`a file of ours is not read again: ${back.message}`);
  }
  const found = [...(await typesIn(world.target, to)).keys()].filter((name) => name !== 'aside');
  if (found.join('\n') !== columns.join('\n')) return `columns ${found.map(code).join(', ')}`;
  const from = 'sql' in config ? `(${config.sql}) as rows` : quoted(config.table);
  const before = await rowsIn(world.source, from, columns);
  const after = await rowsIn(world.target, quoted(to), columns);
  return before.join('\n') === after.join('\n')
    ? 'exactly'
    : `converted: ${code(before.join(' '))} → ${code(after.join(' '))}`;
};

const ways: readonly Way[] = ['straight', 'passed', 'named', 'parquet'];

export const shapesSection = async (world: World): Promise<string> => {
  const rows: string[][] = [];
  for (const [place, shape] of shapes.entries()) {
    await world.source.query(shape.setup);
    const cells: string[] = [];
    for (const way of ways) cells.push(await shapeCell(world, shape, way, `shape${place}_${way}`));
    rows.push([shape.what, ...cells]);
  }
  return table(['Rows', 'straight', 'through DuckDB', '…, named', 'Parquet'], rows);
};

interface Meeting {
  /** A value of the source, as SQL. */
  value: string;
  /** The column of the table that is there. */
  column: string;
}

const meetings: readonly Meeting[] = [
  { value: `'sad'::mood`, column: 'mood' },
  { value: `'{sad,NULL}'::mood[]`, column: 'mood[]' },
  { value: `'(1,"a, b")'::pair`, column: 'pair' },
  { value: `'10.0.0.1'::inet`, column: 'inet' },
  { value: '1::integer', column: 'bigint' },
  { value: `'12'::text`, column: 'integer' },
  { value: `'x'::text`, column: 'integer' },
  { value: '2147483648::bigint', column: 'integer' },
  { value: `'abcd'::text`, column: 'varchar(3)' },
  { value: '1.239::numeric', column: 'numeric(5,2)' },
  { value: '0.1::double precision', column: 'real' },
  { value: '-1::numeric', column: 'price' },
  { value: `'2024-02-29 12:00:00+05:30'::timestamptz`, column: 'timestamp' },
  { value: 'null::integer', column: 'integer not null' },
  { value: '1::integer', column: 'integer generated always as (1 + 1) stored' },
  { value: '7::bigint', column: 'bigint generated always as identity' },
];

const meetingCell = async (
  world: World,
  { value, column }: Meeting,
  way: Way,
  to: string,
): Promise<string> => {
  await world.target.query(`create table ${to} (v ${column})`);
  const sql = `select ${value} as v`;
  const carried = await tried(world, {
    from: world.fromDatabase({ sql }),
    steps: stepsOf(way, ['v']),
    to: world.toDatabase(to, { onSchemaChange: 'ignore' }),
  });
  if ('code' in carried) return refusedWith(carried);
  const [letter] = carried.letters;
  if (letter) return refusedWith({ ...letter, ofRun: false });
  const before = await rowsIn(world.source, `(${sql}) as rows`, ['v']);
  const after = await rowsIn(world.target, to, ['v']);
  const [from = '', now = ''] = [before[0], after[0]];
  return from === now ? 'exactly' : `converted: ${code(from)} → ${code(now)}`;
};

/** Expects the types of `postgresSection` in the source. */
export const meetingsSection = async (world: World, ownTypes: string): Promise<string> => {
  await world.target.query(ownTypes);
  const rows: string[][] = [];
  for (const [place, meeting] of meetings.entries()) {
    const cells: string[] = [];
    for (const way of ['straight', 'named'] as const) {
      cells.push(await meetingCell(world, meeting, way, `meeting${place}_${way}`));
    }
    rows.push([code(meeting.value), code(meeting.column), ...cells]);
  }
  return table(['Value', 'Column', 'straight', 'through DuckDB, named'], rows);
};
