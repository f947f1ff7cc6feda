/** What becomes of rows on one way: which values arrive, as what, and which are refused why. */
import type { Pool } from 'pg';
import { RunFailure } from '../../../core/failures.js';
import { carry } from './carry.js';
import type { Carried, Load } from './carry.js';
import type { World } from './world.js';

export interface Refusal {
  code: string;
  message: string;
  /** Not the row is set aside: the run fails. */
  ofRun: boolean;
}

export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** By the number of their row; as PostgreSQL's own text. */
export type Texts = ReadonlyMap<number, string | null>;

/** `::text` of columns, all at once. */
export const textsIn = async (
  client: Pool,
  table: string,
  columns: readonly string[],
): Promise<Map<string, Texts>> => {
  const list = columns.map((column) => `, ${quoted(column)}::text`).join('');
  const text = `select n${list} from ${quoted(table)} order by n`;
  const { rows } = await client.query<[number | string, ...(string | null)[]]>({
    text,
    rowMode: 'array',
  });
  return new Map(
    columns.map((column, index) => [
      column,
      new Map(rows.map(([n, ...values]) => [Number(n), values[index] ?? null])),
    ]),
  );
};

/** Columns and their types, in order. */
export const typesIn = async (client: Pool, table: string): Promise<Map<string, string>> => {
  const { rows } = await client.query<{ name: string; type: string }>(
    `select attname as name, format_type(atttypid, atttypmod) as type from pg_attribute
      where attrelid = to_regclass($1) and attnum > 0 and not attisdropped order by attnum`,
    [quoted(table)],
  );
  return new Map(rows.map(({ name, type }) => [name, type]));
};

/** What was never a row has no payload: files number their rows from 0, as our tables do. */
const rowOf = ({ payload, row }: Carried['letters'][number]): number =>
  payload === null ? row : Number((JSON.parse(payload) as { n: string }).n);

export const rowsRefused = ({ letters }: Carried): Map<number, Refusal> =>
  new Map(
    letters.map((letter) => {
      const { code, message } = letter;
      return [rowOf(letter), { code, message, ofRun: false }];
    }),
  );

/** What was carried, or why nothing was. */
export const tried = async (world: World, load: Load): Promise<Carried | Refusal> => {
  try {
    return await carry(world, load);
  } catch (error) {
    if (!(error instanceof RunFailure)) throw error;
    const { code, message } = error.failure;
    return { code, message, ofRun: true };
  }
};
