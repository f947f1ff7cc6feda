/** Names, rows and columns that are easy to get wrong, and tables that are there before. */
import type { Pool } from 'pg';
import { inLanes } from './lanes.js';
import { code, table } from './markdown.js';
import { ownTypes } from './postgresSamples.js';
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

const rowsIn = async (
  client: Pool,
  from: string,
  columns: readonly string[],
): Promise<string[]> => {
  const list = columns.map((column) => `${quoted(column)}::text`).join(', ');
  const { rows } = await client.query({ text: `select ${list} from ${from}`, rowMode: 'array' });
  return rows.map((row) => JSON.stringify(row)).sort();
};

/** What a table says, and what it says below. */
interface Cell {
  text: string;
  because?: string;
}

const refusedWith = ({ code: word, message, ofRun }: Refusal, to: string): Cell => ({
  text: `${ofRun ? 'the run fails' : 'refused'} (${code(word)})`,
  because: message.replace(`public.${to}`, 'orders'),
});

const becauseOf = (cells: readonly Cell[]): string =>
  [...new Set(cells.flatMap(({ because }) => because ?? []))].join(' ');

const textsOf = (cells: readonly Cell[]): string[] => cells.map(({ text }) => text);

const shapeCell = async (
  world: World,
  { config, columns }: Shape,
  way: Way,
  to: string,
): Promise<Cell> => {
  const inFile = way === 'parquet';
  const carried = await tried(world, {
    from: world.fromDatabase(config),
    steps: stepsOf(way, columns),
    to: inFile ? world.toFiles(to) : world.toDatabase(to),
  });
  if ('code' in carried) return refusedWith(carried, to);
  if (inFile) {
    const back = await tried(world, {
      from: world.fromFiles(`${to}/*.parquet`),
      steps: [],
      to: world.toDatabase(to),
    });
    if ('code' in back) throw new Error(`a file of ours is not read again: ${back.message}`);
  }
  const found = [...(await typesIn(world.target, to)).keys()].filter((name) => name !== 'aside');
  if (found.join('\n') !== columns.join('\n'))
    return { text: `columns ${found.map(code).join(', ')}` };
  const from = 'sql' in config ? `(${config.sql}) as rows` : quoted(config.table);
  const before = await rowsIn(world.source, from, columns);
  const after = await rowsIn(world.target, quoted(to), columns);
  const isSame = before.join('\n') === after.join('\n');
  const change = `converted: ${code(before.join(' '))} → ${code(after.join(' '))}`;
  return { text: isSame ? 'exactly' : change };
};

const ways: readonly Way[] = ['straight', 'passed', 'named', 'parquet'];

export const shapesSection = async (world: World): Promise<string> => {
  for (const { setup } of shapes) await world.source.query(setup);
  const rows = await inLanes(shapes, 3, async (shape, place) => {
    const cells: Cell[] = [];
    for (const way of ways) cells.push(await shapeCell(world, shape, way, `shape${place}_${way}`));
    return [shape.what, ...textsOf(cells), becauseOf(cells)];
  });
  const head = ['Rows', 'straight', 'through DuckDB', '…, named', 'Parquet', 'Refused with'];
  return table(head, rows);
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
): Promise<Cell> => {
  await world.target.query(`create table ${to} (v ${column})`);
  const sql = `select ${value} as v`;
  const carried = await tried(world, {
    from: world.fromDatabase({ sql }),
    steps: stepsOf(way, ['v']),
    to: world.toDatabase(to, { onSchemaChange: 'ignore' }),
  });
  if ('code' in carried) return refusedWith(carried, to);
  const [letter] = carried.letters;
  if (letter) return refusedWith({ ...letter, ofRun: false }, to);
  const before = await rowsIn(world.source, `(${sql}) as rows`, ['v']);
  const after = await rowsIn(world.target, to, ['v']);
  const [from, now] = [before, after].map(([row = '[]']) =>
    String((JSON.parse(row) as unknown[])[0]),
  );
  return { text: from === now ? 'exactly' : `converted: ${code(from ?? '')} → ${code(now ?? '')}` };
};

/** Expects the types of `postgresSection` in the source. */
export const meetingsSection = async (world: World): Promise<string> => {
  await world.target.query(ownTypes);
  const rows = await inLanes(meetings, 3, async (meeting, place) => {
    const cells: Cell[] = [];
    for (const way of ['straight', 'named'] as const) {
      cells.push(await meetingCell(world, meeting, way, `meeting${place}_${way}`));
    }
    return [code(meeting.value), code(meeting.column), ...textsOf(cells), becauseOf(cells)];
  });
  return table(['Value', 'Column', 'straight', 'through DuckDB, named', 'Refused with'], rows);
};
