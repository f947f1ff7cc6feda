import { randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { BadRow, CallContext } from '../../connectors/connector.js';
import type { Store } from '../../connectors/store.js';
import { RunFailure } from '../../core/failures.js';
import type { DuckDb, DuckResult } from '../duckdb/program.js';
import { plainBytes, refuseChanged } from './contents.js';
import type { FilePart } from './fileRange.js';
import { compressionOf } from './format.js';
import type { Packing } from './format.js';
import { quoteText } from '../duckdb/quote.js';

/** What reading files needs. */
export interface FileDeps {
  store: Store;
  duckdb: DuckDb;
  maxRowBytes: number;
}

export const writeFileFrom = (
  chunks: AsyncIterable<Buffer>,
  path: string,
  signal: AbortSignal,
): Promise<void> =>
  pipeline(Readable.from(chunks, { objectMode: true }), createWriteStream(path), { signal });

export const fileChunks = (path: string): AsyncIterable<Buffer> =>
  createReadStream(path, { highWaterMark: 256 * 1024 });

/** Where DuckDB can read the file: in place, or fetched into the directory. */
export const readablePath = async (
  store: Store,
  part: FilePart,
  directory: string,
  name: string,
  ctx: CallContext,
): Promise<string> => {
  await refuseChanged(store, part, ctx);
  if (store.localPath) return store.localPath(part.key);
  const path = join(directory, name);
  await writeFileFrom(store.read(part.key, { from: 0 }, ctx), path, ctx.signal);
  return path;
};

/** A character that no text has. */
const unseen = "'\\x01'";

/** `COPY … TO` writes lines as they are with this. */
const rawLines = `(FORMAT csv, HEADER false, QUOTE '', ESCAPE '', DELIMITER ${unseen})`;

/** The lines of a file in zstd; line ends are LF behind it, within quotes, too. */
const linesOf = (path: string, maxRowBytes: number): string =>
  `SELECT line FROM read_csv(${quoteText(path)}, columns = {line: 'VARCHAR'}, auto_detect = false, ` +
  `header = false, delim = ${unseen}, quote = '', escape = '', strict_mode = false, ` +
  `compression = 'zstd', max_line_size = ${maxRowBytes}, ` +
  `buffer_size = ${Math.max(32 * 1024 * 1024, 2 * maxRowBytes)}, store_rejects = true)`;

const rejectsOf =
  'SELECT list(line ORDER BY line), list(error_type::VARCHAR ORDER BY line) FROM reject_errors';

const badLines = (answer: DuckResult | undefined, before: number): BadRow[] => {
  const [lines, kinds] = answer?.rows[0] ?? [];
  return ((lines ?? []) as unknown[]).map((line, index) => {
    const large = String((kinds as unknown[])[index]).includes('LINE SIZE');
    const row = Number(line) - 1 - before;
    return large
      ? { row, code: 'row_too_large', message: 'The line is larger than a row may be.' }
      : { row, code: 'malformed', message: 'The line is not text in UTF-8.' };
  });
};

export interface PlainText {
  /** The file's bytes from its beginning; may be opened more than once. */
  open: () => AsyncIterable<Buffer>;
  /** Lines that are not in them. Their place counts lines from the first row. */
  rejected: readonly BadRow[];
}

export interface UnpackOptions {
  packing: Packing;
  /** Only so many lines are wanted. */
  lines?: number;
  /** Lines that come before the first row. */
  before: number;
}

const otherEncoding = (key: string): RunFailure =>
  new RunFailure({
    code: 'config_invalid',
    class: 'config',
    message: `The file ${key} is compressed with zstd and not in UTF-8: no reader takes both.`,
  });

/** Has DuckDB write something that it makes of a file, line by line; answers what it was asked. */
export const unpack = async (
  { duckdb }: FileDeps,
  source: { path: string; key: string; wanted: string },
  program: { select: string; target: string; further: readonly string[] },
  directory: string,
  { signal }: CallContext,
): Promise<readonly DuckResult[]> => {
  const copy = `COPY (${program.select}) TO ${quoteText(program.target)} ${rawLines}`;
  const statements = [copy, ...program.further].map((sql) => ({ sql }));
  const reads = source.path.startsWith(`${directory}/`) ? [] : [source.path];
  try {
    const [, ...answers] = await duckdb.run({ directory, reads, statements }, signal);
    return answers;
  } catch (error) {
    if (!(error instanceof RunFailure) || error.failure.code !== 'expression_error') throw error;
    // DuckDB's own words name paths of this host, and may hold values.
    const message =
      `The file ${source.key} is not ${source.wanted}, ` +
      'or something in it is larger than a row may be.';
    throw new RunFailure({ code: 'config_invalid', class: 'config', message }, { cause: error });
  }
};

export const limited = (select: string, lines: number | undefined): string =>
  lines === undefined ? select : `${select} LIMIT ${lines}`;

/** The plain bytes of a file of lines, by way of DuckDB where only that can read them. */
export const plainText = async (
  deps: FileDeps,
  file: FilePart,
  { packing, lines, before }: UnpackOptions,
  directory: string,
  ctx: CallContext,
): Promise<PlainText> => {
  const { store, maxRowBytes } = deps;
  const { key } = file;
  if (compressionOf(key, packing) !== 'zstd') {
    return { open: () => plainBytes(store, file, packing, ctx), rejected: [] };
  }
  if (packing.encoding !== 'utf-8') throw otherEncoding(key);
  const name = randomUUID();
  const path = await readablePath(store, file, directory, `${name}.packed`, ctx);
  const target = join(directory, `${name}.unpacked`);
  const select = limited(linesOf(path, maxRowBytes), lines);
  const source = { path, key, wanted: 'a complete zstd file' };
  const program = { select, target, further: [rejectsOf] };
  const [answer] = await unpack(deps, source, program, directory, ctx);
  await refuseChanged(store, file, ctx);
  return { open: () => fileChunks(target), rejected: badLines(answer, before) };
};
