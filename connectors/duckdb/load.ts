import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { failSql } from './classify.js';
import type { PlacedColumn } from './places.js';
import { nameList, quoteName, quoteText } from './quote.js';
import { toTyped } from './toTyped.js';

/** Rows of a split before anything is decided about them; it is gone with its program. */
export const waiting = 'temp.main.fluxline_waiting';

/** Their place in the split, from 0: of equal ones the last counts. */
export const rowColumn = quoteName('_fluxline_row');
export const splitColumn = quoteName('_fluxline_split');

/** Puts rows into a file, as they come. */
export const spoolRows = async (
  chunks: AsyncIterable<Buffer>,
  file: string,
  signal: AbortSignal,
  progress: (bytes: number) => void = () => undefined,
): Promise<number> => {
  let bytes = 0;
  async function* counted(): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) {
      bytes += chunk.length;
      progress(bytes);
      yield chunk;
    }
  }
  await pipeline(counted, createWriteStream(file, { mode: 0o600 }), { signal });
  return bytes;
};

/** DuckDB holds the longest row more than once. */
const leastBuffer = 8 * 1024 * 1024;

const field = (index: number): string => quoteName(`f${index}`);

/**
 * Nothing is guessed: every field is text, NULL is the empty unquoted one, what does not fit the form
 * is an error; in one thread, so that rows come in the order of the file.
 */
export const readCsvSql = (file: string, fields: number, maxRowBytes: number): string => {
  const names = Array.from({ length: fields }, (_, index) => `'f${index}': 'VARCHAR'`);
  return (
    `read_csv(${quoteText(file)}, auto_detect = false, header = false, delim = ',', ` +
    `quote = '"', escape = '"', new_line = '\\n', nullstr = '', allow_quoted_nulls = false, ` +
    `strict_mode = true, null_padding = false, ignore_errors = false, parallel = false, ` +
    `max_line_size = ${maxRowBytes}, buffer_size = ${Math.max(leastBuffer, maxRowBytes)}, ` +
    `columns = {${names.join(', ')}})`
  );
};

/** The value of a column, out of the text that came for it. */
export const typedOf = ({ index, from, type }: PlacedColumn) =>
  toTyped(field(index), from.type, type);

export const fieldOf = ({ index }: PlacedColumn): string => field(index);

const valueSql = (column: PlacedColumn): string => {
  const { value, refused } = typedOf(column);
  const checked =
    refused === undefined
      ? value
      : `CASE WHEN ${refused} THEN ${failSql('value')} ELSE ${value} END`;
  return `${checked} AS ${quoteName(column.name)}`;
};

/** Takes a file in as values of the columns' types. */
export const waitSql = (placed: readonly PlacedColumn[], csv: string): string =>
  `CREATE TEMP TABLE fluxline_waiting AS SELECT row_number() OVER () - 1 AS ${rowColumn}, ` +
  `${placed.map(valueSql).join(', ')} FROM ${csv}`;

export const namesOf = (placed: readonly PlacedColumn[]): string =>
  nameList(placed.map(({ name }) => name));

/** Equal values of all keys; NULL is equal to nothing. */
export const sameKeys = (keys: readonly string[], one: string, other: string): string =>
  keys.map((key) => `${one}.${quoteName(key)} = ${other}.${quoteName(key)}`).join(' AND ');
