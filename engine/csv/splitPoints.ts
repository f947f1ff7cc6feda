import { byteOf, newline } from './dialect.js';
import type { CsvDialect } from './dialect.js';
import { isOdd } from './quoteParity.js';
import { makeRowScanner } from './rowScanner.js';

/** Follows quotes from chunk to chunk; looks at line ends only where they are asked for. */
interface Cutter {
  /** Ends of rows within the chunk, from an offset of it on. */
  endsAfter(chunk: Buffer, offset: number): Generator<number>;
  /** To be called for every chunk, after its ends were asked for. */
  pass(chunk: Buffer): void;
}

/** A doubled quote changes nothing: a line end is one where there were as many quotes as pairs. */
const makeParityCutter = (quote: number): Cutter => {
  let within = false;
  return {
    *endsAfter(chunk, offset) {
      let inside = within !== isOdd(chunk.subarray(0, offset), quote);
      for (let at = offset; at < chunk.length;) {
        const end = chunk.indexOf(newline, at);
        if (end < 0) return;
        inside = inside !== isOdd(chunk.subarray(at, end), quote);
        at = end + 1;
        if (!inside) yield at;
      }
    },
    pass: (chunk) => {
      within = within !== isOdd(chunk, quote);
    },
  };
};

const makeScanningCutter = (dialect: CsvDialect): Cutter => {
  const scanner = makeRowScanner(dialect);
  let scanned: Buffer | undefined;
  let ends: readonly number[] = [];
  const scan = (chunk: Buffer): void => {
    if (scanned === chunk) return;
    const rows = scanner.scan(chunk);
    ends = Array.from(rows.ends.subarray(0, rows.count));
    scanned = chunk;
  };
  return {
    *endsAfter(chunk, offset) {
      scan(chunk);
      for (const end of ends) if (end >= offset) yield end;
    },
    pass: scan,
  };
};

/**
 * Where a csv can be cut: offsets at which rows begin, about `targetBytes` apart. Only who has seen
 * everything before knows whether a line end is within quotes, so all of it is looked at; nothing
 * of it is kept.
 */
export const splitPoints = async (
  chunks: AsyncIterable<Buffer>,
  targetBytes: number,
  dialect: CsvDialect,
): Promise<number[]> => {
  const { quote, escape } = dialect;
  const cutter = quote === escape ? makeParityCutter(byteOf(quote)) : makeScanningCutter(dialect);
  const points: number[] = [];
  let base = 0;
  let next = targetBytes;
  for await (const chunk of chunks) {
    while (base + chunk.length >= next) {
      const from = Math.max(0, next - base - 1);
      const [end] = cutter.endsAfter(chunk, from);
      if (end === undefined) break;
      points.push(base + end);
      next = base + end + targetBytes;
    }
    cutter.pass(chunk);
    base += chunk.length;
  }
  // What begins at the end is nothing.
  return points.at(-1) === base ? points.slice(0, -1) : points;
};
