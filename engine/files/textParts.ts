import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { BadRow, CallContext } from '../../connectors/connector.js';
import type { CsvDialect } from '../csv/dialect.js';
import { guardRows } from '../csv/guardRows.js';
import type { GuardedRows } from '../csv/guardRows.js';
import { openCsv } from './csvFile.js';
import type { FilePart, FileRange } from './fileRange.js';
import { jsonLines } from './jsonLines.js';
import { plainText, writeFileFrom } from './localFiles.js';
import type { FileDeps } from './localFiles.js';

/** Nothing divides lines of JSON, and no line end is within one. */
export const lineDialect: CsvDialect = { delimiter: '\n', quote: '', escape: '' };

/** A file of text put into a directory, whose rows DuckDB can read one by one. */
export interface TextPart {
  path: string;
  /** A csv's own columns, in its order. */
  names: readonly string[];
  /** Rows in `path`. */
  rows: number;
  /** Rows that are not, by their place among all rows of the file. */
  rejected: readonly BadRow[];
  longestRow: number;
}

const byPlace = (rows: readonly BadRow[]): BadRow[] => [...rows].sort((a, b) => a.row - b.row);

const putInto = async (
  directory: string,
  names: readonly string[],
  guarded: GuardedRows,
  unreadable: readonly BadRow[],
  signal: AbortSignal,
): Promise<TextPart> => {
  const path = join(directory, `${randomUUID()}.rows`);
  await writeFileFrom(guarded.chunks, path, signal);
  return {
    path,
    names,
    rows: guarded.counts().rows,
    rejected: byPlace([...guarded.rejected(), ...unreadable]),
    longestRow: guarded.longestRow(),
  };
};

export const csvPart = async (
  deps: FileDeps,
  range: FileRange,
  part: FilePart,
  directory: string,
  ctx: CallContext,
): Promise<TextPart> => {
  const { names, guarded, unreadable } = await openCsv(deps, range, part, directory, ctx);
  return putInto(directory, names, guarded, unreadable, ctx.signal);
};

export const jsonPart = async (
  deps: FileDeps,
  range: FileRange,
  part: FilePart,
  directory: string,
  ctx: CallContext,
): Promise<TextPart> => {
  const { packing, format } = range;
  const guard = { maxRowBytes: deps.maxRowBytes, dialect: lineDialect };
  if (format === 'json') {
    const lines = await jsonLines(deps, part, { packing }, directory, ctx);
    return putInto(directory, [], guardRows(lines, guard), [], ctx.signal);
  }
  const plain = await plainText(deps, part, { packing, before: 0 }, directory, ctx);
  return putInto(directory, [], guardRows(plain.open(), guard), plain.rejected, ctx.signal);
};

/** Finds the place among all rows of a file of one that is in its part, or of several in order. */
export const placesOf = (rejected: readonly BadRow[]): ((row: number) => number) => {
  let before = 0;
  return (row) => {
    while (before < rejected.length && (rejected[before]?.row ?? 0) <= row + before) before += 1;
    return row + before;
  };
};
