/** What becomes of PostgreSQL's types. */
import { context } from './carry.js';
import { inLanes } from './lanes.js';
import { code, table } from './markdown.js';
import type { Notes } from './notes.js';
import { textsIn, typesIn } from './observe.js';
import type { Texts } from './observe.js';
import { ownTypes, typeSamples } from './postgresSamples.js';
import type { TypeSample } from './postgresSamples.js';
import { note, sentence, verdictOf } from './verdict.js';
import { move } from './ways.js';
import type { Arrived, Way } from './ways.js';
import type { World } from './world.js';

const columnOf = (place: number): string => `c${place}`;

interface Sampled {
  sample: TypeSample;
  column: string;
  /** Of a column of the table that was made for it. */
  type: string;
  before: Texts;
  /** Its rows: from, and to before. */
  rows: readonly [number, number];
}

/** One column for each type and one row for each value: whatever is refused names itself. */
const makeSamples = async ({ source }: World): Promise<Sampled[]> => {
  const columns = typeSamples.map(({ declared }, place) => `${columnOf(place)} ${declared}`);
  await source.query(ownTypes);
  await source.query(`create table samples (n integer primary key, ${columns.join(', ')})`);
  let n = 0;
  const rows: (readonly [number, number])[] = [];
  for (const [place, { values }] of typeSamples.entries()) {
    const first = n;
    for (const value of values) {
      const text = `insert into samples (n, ${columnOf(place)}) values ($1, $2)`;
      await source.query(text, [n++, value]);
    }
    if (values.length === 0) await source.query('insert into samples (n) values ($1)', [n++]);
    rows.push([first, n]);
  }
  const names = columns.map((_, place) => columnOf(place));
  const [types, before] = [
    await typesIn(source, 'samples'),
    await textsIn(source, 'samples', names),
  ];
  return typeSamples.map((sample, place) => ({
    sample,
    column: columnOf(place),
    type: types.get(columnOf(place)) ?? '',
    before: before.get(columnOf(place)) ?? new Map(),
    rows: rows[place] ?? [0, 0],
  }));
};

const labelOf = ({ declared, called }: TypeSample): string => called ?? declared;

/** Only the type, of a label that says more. */
const familyOf = (sample: TypeSample): string => labelOf(sample).split(', ')[0] ?? '';

const cellOf = (
  { sample, column, type, before, rows: [first, end] }: Sampled,
  arrived: Arrived,
  notes: Notes,
): string => {
  const after = arrived.values.get(column) ?? new Map<number, null>();
  const made = arrived.types.get(column);
  const inFile = arrived.fileTypes.size > 0;
  // Rows of other columns may be refused for what they have there.
  const own = ([n]: readonly [number, unknown]): boolean => n >= first && n < end;
  const refused = new Map([...arrived.refused].filter(own));
  const to = inFile ? arrived.fileTypes.get(column) : made;
  const seen = {
    from: familyOf(sample),
    to,
    before: new Map([...before].filter(own)),
    after,
    refused,
  };
  const verdict = verdictOf(seen);
  note(notes, verdict, made === type);
  return sentence(verdict, made === type, inFile);
};

const expectHow = (arrived: Arrived, words: string): Arrived => {
  if (arrived.how?.startsWith(words) === true) return arrived;
  throw new Error(`rows went ${arrived.how ?? 'nowhere'}, not ${words}`);
};

/** Columns that two tables of equal types pass to each other as they are. */
const portableIn = async (world: World): Promise<ReadonlySet<string>> => {
  const { source, config } = world.fromDatabase({ table: 'samples' });
  const { columns } = await source.facts({ config }, context);
  return new Set(columns.filter(({ native }) => native?.portable === true).map(({ name }) => name));
};

export const postgresSection = async (world: World, notes: Notes): Promise<string> => {
  const samples = await makeSamples(world);
  const columns = samples.map(({ column }) => column);
  const count = samples.at(-1)?.rows[1] ?? 0;
  const whole = (way: Way): Promise<Arrived> =>
    move(world, { from: { table: 'samples', columns }, way, to: way }, [0, count]);
  const portable = await portableIn(world);
  const isPortable = { table: 'samples', columns: columns.filter((name) => portable.has(name)) };
  const binary = expectHow(
    await move(world, { from: isPortable, way: 'straight', to: 'binary' }, [0, count]),
    'as binary',
  );
  // One column that cannot go as binary keeps all others from it.
  const together = expectHow(await whole('straight'), 'as csv');
  const passed = expectHow(await whole('passed'), 'through DuckDB');
  const named = expectHow(await whole('named'), 'through DuckDB');
  const parquet = expectHow(await whole('parquet'), 'through DuckDB');
  const alone = samples.filter(({ column }) => !portable.has(column));
  await inLanes(alone, 3, async ({ column, rows }) => {
    const from = { table: 'samples', columns: [column] };
    expectHow(await move(world, { from, way: 'straight', to: `alone_${column}` }, rows), 'as csv');
  });
  const rows = samples.map((sampled) => {
    return [
      sampled.sample.called ?? code(sampled.sample.declared),
      portable.has(sampled.column) ? cellOf(sampled, binary, notes) : 'goes as csv',
      cellOf(sampled, together, notes),
      cellOf(sampled, passed, notes),
      cellOf(sampled, named, notes),
      cellOf(sampled, parquet, notes),
    ];
  });
  return table(['Type', 'as binary', 'as csv', 'through DuckDB', '…, named', 'Parquet'], rows);
};
