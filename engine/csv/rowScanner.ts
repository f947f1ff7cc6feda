/**
 * Finds where rows end, and what is wrong with them, chunk by chunk. A quote opens a field only at
 * its beginning, and only a delimiter or the end of the row may follow the one that closes it; a
 * row that breaks this is flawed and ends at the next line's end, so that the rest is read right.
 */
import { byteOf, carriageReturn, newline } from './dialect.js';
import type { CsvDialect } from './dialect.js';

/** What can be wrong with a row. */
export const flaw = {
  none: 0,
  tooFew: 1,
  tooMany: 2,
  quoteWithin: 3,
  afterQuote: 4,
  openQuote: 5,
  bareReturn: 6,
  /** No fields at all, where one is not all there is. It is no row. */
  blank: 7,
} as const;

export type Flaw = (typeof flaw)[keyof typeof flaw];

export interface ScannedRows {
  count: number;
  /** Behind each row's line end, in the chunk. */
  ends: Int32Array;
  flaws: Uint8Array;
  /** None of them has a flaw. */
  clean: boolean;
}

export interface RowScanner {
  /** The rows that end in this chunk. What it returns is overwritten by the next call. */
  scan(chunk: Buffer): ScannedRows;
  /** What is wrong with the last row, if no line end closes it. */
  finish(): Flaw;
}

const atStart = 0;
const inPlain = 1;
const inQuotes = 2;
const behindQuote = 3;
const behindEscape = 4;
const atReturn = 5;
const inWreck = 6;

/** `fields`: how many a row has to have; undefined where that does not matter. */
export const makeRowScanner = (dialect: CsvDialect, fields?: number): RowScanner => {
  const delimiter = byteOf(dialect.delimiter);
  const quote = byteOf(dialect.quote);
  const escape = byteOf(dialect.escape);
  const doubled = escape === quote;
  const delimiters = (fields ?? 0) - 1;
  const counted = fields !== undefined;
  const quotes = quote >= 0;
  /** The bytes that go on with a field without quotes. One look at it is quicker than four. */
  const goesOn = new Uint8Array(256).fill(1);
  for (const byte of [delimiter, quote, newline, carriageReturn]) if (byte >= 0) goesOn[byte] = 0;

  let ends = new Int32Array(1024);
  let marks = new Uint8Array(1024);
  let count = 0;
  let clean = true;
  let state: number = atStart;
  let seen = 0;
  let empty = true;
  let mark: Flaw = flaw.none;

  const grow = (): void => {
    const moreEnds = new Int32Array(ends.length * 2);
    moreEnds.set(ends);
    ends = moreEnds;
    const moreMarks = new Uint8Array(marks.length * 2);
    moreMarks.set(marks);
    marks = moreMarks;
  };

  const verdict = (): Flaw => {
    if (mark !== flaw.none) return mark;
    if (empty && fields !== 1) return flaw.blank;
    if (!counted || seen === delimiters) return flaw.none;
    return seen < delimiters ? flaw.tooFew : flaw.tooMany;
  };

  const endRow = (end: number): void => {
    if (count === ends.length) grow();
    const found = verdict();
    ends[count] = end;
    marks[count] = found;
    if (found !== flaw.none) clean = false;
    count += 1;
    state = atStart;
    seen = 0;
    empty = true;
    mark = flaw.none;
  };

  /** Chunks without quotes and returns: only delimiters and line ends count. */
  const scanPlain = (chunk: Buffer): void => {
    const { length } = chunk;
    let commas = seen;
    let start = 0;
    for (let at = 0; at < length; at++) {
      const byte = chunk[at];
      if (byte === delimiter) commas += 1;
      else if (byte === newline) {
        if (at > start) empty = false;
        seen = commas;
        endRow(at + 1);
        commas = 0;
        start = at + 1;
      }
    }
    seen = commas;
    if (start < length) {
      empty = false;
      state = chunk[length - 1] === delimiter ? atStart : inPlain;
    }
  };

  /** Chunks without quotes and returns, where fields do not matter. */
  const scanLines = (chunk: Buffer): void => {
    let start = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      if (end > start) empty = false;
      endRow(end + 1);
      start = end + 1;
    }
    if (start < chunk.length) {
      empty = false;
      state = chunk[chunk.length - 1] === delimiter ? atStart : inPlain;
    }
  };

  const wreck = (found: Flaw): number => {
    mark = found;
    return inWreck;
  };

  /** Any chunk. The state lives in locals while it runs: twice as fast. */
  const scanAll = (chunk: Buffer): void => {
    const { length } = chunk;
    let now = state;
    let commas = seen;
    for (let at = 0; at < length; at++) {
      let byte = chunk[at] ?? 0;
      if (now === inPlain) {
        while (goesOn[byte] === 1) {
          at += 1;
          if (at === length) break;
          byte = chunk[at] ?? 0;
        }
      } else if (now === inQuotes) {
        while (byte !== quote && (doubled || byte !== escape)) {
          at += 1;
          if (at === length) break;
          byte = chunk[at] ?? 0;
        }
        if (at < length) now = byte === quote ? behindQuote : behindEscape;
        continue;
      } else if (now === behindEscape || (now === behindQuote && byte === quote && doubled)) {
        now = inQuotes;
        continue;
      }
      if (at === length) break;
      if (byte === newline) {
        seen = commas;
        endRow(at + 1);
        commas = 0;
        now = atStart;
      } else if (now === atReturn) now = wreck(flaw.bareReturn);
      else if (now === inWreck) continue;
      else if (byte === carriageReturn) now = atReturn;
      else {
        empty = false;
        if (byte === delimiter) {
          commas += 1;
          now = atStart;
        } else if (now === behindQuote) now = wreck(flaw.afterQuote);
        else if (byte !== quote) now = inPlain;
        else if (now === atStart) now = inQuotes;
        else now = wreck(flaw.quoteWithin);
      }
    }
    state = now;
    seen = commas;
  };

  return {
    scan: (chunk) => {
      count = 0;
      clean = true;
      const special = (quotes && chunk.includes(quote)) || chunk.includes(carriageReturn);
      if (special || state > inPlain) scanAll(chunk);
      else if (counted) scanPlain(chunk);
      else scanLines(chunk);
      return { count, ends, flaws: marks, clean };
    },
    finish: () => {
      if (state === inQuotes || state === behindEscape) return flaw.openQuote;
      return state === atReturn ? flaw.bareReturn : verdict();
    },
  };
};
