import { isUtf8 } from 'node:buffer';
import { carriageReturn, newline } from './dialect.js';
import type { CsvDialect } from './dialect.js';
import { flaw, makeRowScanner } from './rowScanner.js';
import type { ScannedRows } from './rowScanner.js';

export interface PlainOptions {
  dialect: CsvDialect;
  /** How many fields a row has to have; undefined where that does not matter. */
  fields?: number;
  /** No row may be longer, its line end included. */
  longestRow: number;
}

const nothing = Buffer.alloc(0);

const isText = (bytes: Buffer): boolean => isUtf8(bytes) && !bytes.includes(0);

/** Each row is one line, and none is too long; `held` of the first was in earlier chunks. */
const areLines = (
  chunk: Buffer,
  { count, ends }: ScannedRows,
  held: number,
  longestRow: number,
): boolean => {
  let start = 0;
  let before = held;
  for (let index = 0; index < count; index++) {
    const end = ends[index] ?? 0;
    if (before + end - start > longestRow) return false;
    if (chunk.indexOf(newline, start) !== end - 1) return false;
    before = 0;
    start = end;
  }
  return before + chunk.length - start <= longestRow && chunk.indexOf(newline, start) < 0;
};

/**
 * How many rows a csv has, its header counted, where nobody could read it in another way: each row
 * is a line of text in UTF-8, ended by LF, with the fields it should have and every quote in its
 * place. Undefined for all others, well formed or not. Chunks are not kept.
 */
export const countPlainRows = async (
  chunks: AsyncIterable<Buffer>,
  { dialect, fields, longestRow }: PlainOptions,
): Promise<number | undefined> => {
  const scanner = makeRowScanner(dialect, fields);
  let rows = 0;
  let held: Buffer = nothing;
  for await (const chunk of chunks) {
    const scanned = scanner.scan(chunk);
    const { count, ends, clean } = scanned;
    if (!clean || chunk.includes(carriageReturn)) return undefined;
    if (!areLines(chunk, scanned, held.length, longestRow)) return undefined;
    const first = count === 0 ? 0 : (ends[0] ?? 0);
    const last = count === 0 ? 0 : (ends[count - 1] ?? 0);
    // Characters may be torn between chunks, but not between rows.
    const across = Buffer.concat([held, chunk.subarray(0, first)]);
    if (!isText(across) || !isText(chunk.subarray(first, last))) return undefined;
    held = Buffer.concat([count === 0 ? held : nothing, chunk.subarray(last)]);
    rows += count;
  }
  if (held.length === 0) return rows;
  return scanner.finish() === flaw.none && isText(held) ? rows + 1 : undefined;
};
