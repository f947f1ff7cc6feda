import { isUtf8 } from 'node:buffer';
import type { BadRow, Counts } from '../../connectors/connector.js';
import { RunFailure } from '../../core/failures.js';
import { carriageReturn, newline } from './dialect.js';
import type { CsvDialect } from './dialect.js';
import { flaw, makeRowScanner } from './rowScanner.js';
import type { Flaw, ScannedRows } from './rowScanner.js';

export interface GuardOptions {
  /** Longer rows are let go without being held. */
  maxRowBytes: number;
  dialect: CsvDialect;
  /** How many fields a row has to have; undefined where that does not matter. */
  fields?: number;
  /** Rows before the first one that counts, such as a header. */
  skipRows?: number;
}

export interface GuardedRows {
  /** Whole rows, each ended by LF, that the dialect reads without an error. */
  chunks: AsyncIterable<Buffer>;
  /** Rows that are in `chunks`, and their bytes. */
  counts: () => Counts;
  /** The others. Their place counts from the first row behind those skipped. */
  rejected: () => readonly BadRow[];
  /** No row that passed is longer. */
  longestRow: () => number;
}

/** More would fill the memory, and say that the file is not what it is taken for. */
const mostRejected = 100_000;

const reasons: Readonly<Record<Exclude<Flaw, 0 | 7>, string>> = {
  [flaw.tooFew]: 'The row has fewer fields than there are columns.',
  [flaw.tooMany]: 'The row has more fields than there are columns.',
  [flaw.quoteWithin]: 'A quote stands in a field that does not begin with one.',
  [flaw.afterQuote]: 'Something stands between a closing quote and the end of its field.',
  [flaw.openQuote]: 'A quote is opened and never closed.',
  [flaw.bareReturn]: 'A carriage return stands in a field without quotes.',
};

const lineEnd = Buffer.from('\n');

/** COPY takes it for the end of its input. */
const endOfCopy = Buffer.from('\\.\n');
const endsOfCopy = [endOfCopy, Buffer.from('\\.\r\n')];
const quotedEndOfCopy = Buffer.from('"\\."\n');

const isText = (rows: Buffer): boolean => isUtf8(rows) && !rows.includes(0);

/** The row as it is passed on: ended by LF alone. */
const cleaned = (row: Buffer): Buffer => {
  const returned = row[row.length - 2] === carriageReturn;
  const plain = returned ? Buffer.concat([row.subarray(0, -2), lineEnd]) : row;
  return plain.equals(endOfCopy) ? quotedEndOfCopy : plain;
};

/** A run of rows without the returns before their ends; those within quotes stay. */
const withoutReturns = (chunk: Buffer, from: number, { count, ends }: ScannedRows): Buffer => {
  let start = from === 0 ? 0 : (ends[from - 1] ?? 0);
  const out = Buffer.allocUnsafe((ends[count - 1] ?? 0) - start);
  let length = 0;
  for (let index = from; index < count; index++) {
    const end = ends[index] ?? 0;
    const returned = end - start >= 2 && chunk[end - 2] === carriageReturn;
    length += chunk.copy(out, length, start, returned ? end - 2 : end);
    if (returned) out[length++] = newline;
    start = end;
  }
  return out.subarray(0, length);
};

/**
 * Lets rows of a csv pass that its readers can read, and keeps those aside that would make them
 * stumble: too long, malformed, not UTF-8. Needs memory for one row.
 */
export const guardRows = (chunks: AsyncIterable<Buffer>, options: GuardOptions): GuardedRows => {
  const { maxRowBytes, dialect, fields } = options;
  const scanner = makeRowScanner(dialect, fields);
  const counts: Counts = { rows: 0, bytes: 0 };
  const rejected: BadRow[] = [];
  let position = 0 - (options.skipRows ?? 0);
  let held: Buffer[] = [];
  let heldBytes = 0;
  let longest = 0;

  const reject = (code: string, message: string): void => {
    if (position >= 0) rejected.push({ row: position, code, message });
    if (rejected.length > mostRejected) throw notThisFormat();
  };

  const pass = (chunk: Buffer, rows: number): readonly Buffer[] => {
    counts.rows += rows;
    counts.bytes += chunk.length;
    longest = Math.max(longest, chunk.length);
    return [chunk];
  };

  /** One row with all its bytes, or with none where it was too long to hold. */
  const judge = (row: Buffer | undefined, found: Flaw): readonly Buffer[] => {
    if (found === flaw.blank) return [];
    let parts: readonly Buffer[] = [];
    if (!row) reject('row_too_large', `The row is larger than ${maxRowBytes} bytes.`);
    else if (found !== flaw.none) reject('malformed', reasons[found]);
    else if (!isText(row)) reject('malformed', 'The row is not text in UTF-8.');
    else if (position >= 0) parts = pass(cleaned(row), 1);
    position += 1;
    return parts;
  };

  const hold = (part: Buffer): void => {
    if (part.length === 0) return;
    heldBytes += part.length;
    if (heldBytes > maxRowBytes) held = [];
    else held.push(part);
  };

  const release = (last: Buffer): Buffer | undefined => {
    hold(last);
    const row = heldBytes > maxRowBytes ? undefined : Buffer.concat(held);
    held = [];
    heldBytes = 0;
    return row;
  };

  /** Rows that lie in the chunk, one by one. */
  function* each(chunk: Buffer, from: number, scanned: ScannedRows): Generator<Buffer> {
    const { count, ends, flaws } = scanned;
    const out: Buffer[] = [];
    for (let index = from; index < count; index++) {
      const row = chunk.subarray(ends[index - 1] ?? 0, ends[index]);
      const small = row.length <= maxRowBytes ? row : undefined;
      out.push(...judge(small, (flaws[index] ?? flaw.none) as Flaw));
    }
    if (out.length > 0) yield Buffer.concat(out);
  }

  /** All of them at once where nothing can be wrong with any. */
  function* allOf(chunk: Buffer, from: number, scanned: ScannedRows): Generator<Buffer> {
    const { count, ends, clean } = scanned;
    if (from >= count) return;
    const start = from === 0 ? 0 : (ends[from - 1] ?? 0);
    const rows = chunk.subarray(start, ends[count - 1]);
    const fine = clean && position >= 0 && rows.length <= maxRowBytes;
    if (fine && isText(rows) && !endsOfCopy.some((end) => rows.includes(end))) {
      const returns = rows.includes(carriageReturn);
      yield* pass(returns ? withoutReturns(chunk, from, scanned) : rows, count - from);
      position += count - from;
    } else yield* each(chunk, from, scanned);
  }

  async function* guarded(): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) {
      const scanned = scanner.scan(chunk);
      const { count, ends, flaws } = scanned;
      let from = 0;
      if (count > 0 && heldBytes > 0) {
        yield* judge(release(chunk.subarray(0, ends[0])), (flaws[0] ?? flaw.none) as Flaw);
        from = 1;
      }
      yield* allOf(chunk, from, scanned);
      hold(chunk.subarray(count === 0 ? 0 : ends[count - 1]));
    }
    if (heldBytes === 0) return;
    const found = scanner.finish();
    const row = release(Buffer.alloc(0));
    yield* judge(row && Buffer.concat([row, lineEnd]), found);
  }

  return {
    chunks: guarded(),
    counts: () => ({ ...counts }),
    rejected: () => rejected,
    longestRow: () => longest,
  };
};

const notThisFormat = (): RunFailure =>
  new RunFailure({
    code: 'config_invalid',
    class: 'config',
    message:
      `More than ${mostRejected} rows cannot be read: ` +
      'check the delimiter, quote and header options.',
  });

const mark = Buffer.from([0xef, 0xbb, 0xbf]);

/** The chunks without a byte order mark at their beginning. */
export async function* withoutMark(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let begun = false;
  let first = Buffer.alloc(0);
  for await (const chunk of chunks) {
    if (begun) {
      yield chunk;
      continue;
    }
    first = Buffer.concat([first, chunk]);
    if (first.length < mark.length) continue;
    begun = true;
    yield first.subarray(0, mark.length).equals(mark) ? first.subarray(mark.length) : first;
  }
  if (!begun && first.length > 0) yield first;
}
