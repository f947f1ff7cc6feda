/** The ways on which rows of a table travel, and what arrives at their ends. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Step } from '../../../core/plan/stage.js';
import { quoteText } from '../../../engine/duckdb/quote.js';
import { quoted, rowsRefused, textsIn, tried, typesIn } from './observe.js';
import type { Refusal, Texts } from './observe.js';
import type { World } from './world.js';

/**
 * straight: no transforms. passed: through DuckDB, and no expression names a column. named: an
 * expression gives each column its own value. parquet: into a file, which is loaded again.
 */
export type Way = 'straight' | 'passed' | 'named' | 'parquet';

export interface Arrived {
  /** As the log of a run says; undefined where a run failed. */
  how: string | undefined;
  /** By column, of the table that was made. */
  types: ReadonlyMap<string, string>;
  /** By column, of the file, in DuckDB's words. */
  fileTypes: ReadonlyMap<string, string>;
  values: ReadonlyMap<string, Texts>;
  /** By the number of the row. */
  refused: ReadonlyMap<number, Refusal>;
}

const derive = (columns: readonly { name: string; expression: string }[]): Step => ({
  nodeId: 'derive',
  type: 'transform.derive',
  config: { columns },
  inputs: [{ port: 'in', from: 'source' }],
});

/** PostgreSQL has no such function: the step cannot be pushed into the source. */
const aside = { name: 'aside', expression: 'hash(1)' };

export const stepsOf = (way: Way, columns: readonly string[]): Step[] => {
  if (way === 'passed') return [derive([aside])];
  if (way !== 'named') return [];
  return [derive([aside, ...columns.map((name) => ({ name, expression: quoted(name) }))])];
};

/** The types of the columns in the only file of a directory. */
const typesInFile = async (world: World, directory: string): Promise<Map<string, string>> => {
  const names = (await readdir(join(world.root, directory))).filter((name) =>
    name.endsWith('.parquet'),
  );
  const path = join(world.root, directory, names[0] ?? '');
  const sql = `DESCRIBE SELECT * FROM read_parquet(${quoteText(path)})`;
  const program = { directory: world.root, reads: [], statements: [{ sql }] };
  const [answer] = await world.duckdb.run(program, new AbortController().signal);
  return new Map((answer?.rows ?? []).map(([name, type]) => [String(name), String(type)]));
};

export interface Move {
  from: { table: string; columns: readonly string[] };
  way: Way;
  /** A name for what is made: none of its kind is there. */
  to: string;
}

/** Rows [first, end), all at once; or why the run fails. */
const moveRows = async (
  world: World,
  { from: { table, columns }, way, to }: Move,
  [first, end]: readonly [number, number],
): Promise<Arrived | Refusal> => {
  const name = `${to}_${first}_${end}`;
  const config = { table, columns: ['n', ...columns], where: `n >= ${first} and n < ${end}` };
  const carried = await tried(world, {
    from: world.fromDatabase(config),
    steps: stepsOf(way, columns),
    to: way === 'parquet' ? world.toFiles(name) : world.toDatabase(name),
  });
  if ('code' in carried) return carried;
  if (way === 'parquet') {
    const back = await tried(world, {
      from: world.fromFiles(`${name}/*.parquet`),
      steps: stepsOf('passed', []),
      to: world.toDatabase(name),
    });
    if ('code' in back) throw new Error(`a file of ours is not read again: ${back.message}`);
  }
  return {
    how: carried.way,
    types: await typesIn(world.target, name),
    fileTypes: way === 'parquet' ? await typesInFile(world, name) : new Map(),
    values: await textsIn(world.target, name, columns),
    refused: rowsRefused(carried),
  };
};

/** Parts of what failed as a whole: alone a row may be set aside, among others it was not. */
const joined = (one: Arrived, other: Arrived): Arrived => ({
  how: one.how ?? other.how,
  types: new Map([...other.types, ...one.types]),
  fileTypes: new Map([...other.fileTypes, ...one.fileTypes]),
  values: new Map(
    [...new Set([...one.values.keys(), ...other.values.keys()])].map((column) => [
      column,
      new Map([...(one.values.get(column) ?? []), ...(other.values.get(column) ?? [])]),
    ]),
  ),
  refused: new Map(
    [...one.refused, ...other.refused].map(([n, refusal]) => [n, { ...refusal, ofRun: true }]),
  ),
});

/** Where a run fails, it is tried with fewer rows, until it is known which ones it fails for. */
export const move = async (
  world: World,
  work: Move,
  [first, end]: readonly [number, number],
): Promise<Arrived> => {
  const arrived = await moveRows(world, work, [first, end]);
  if (!('code' in arrived)) return arrived;
  if (end - first <= 1) {
    return {
      how: undefined,
      types: new Map(),
      fileTypes: new Map(),
      values: new Map(),
      refused: new Map([[first, arrived]]),
    };
  }
  const middle = Math.floor((first + end) / 2);
  const halves = await Promise.all([
    move(world, work, [first, middle]),
    move(world, work, [middle, end]),
  ]);
  return joined(...halves);
};
