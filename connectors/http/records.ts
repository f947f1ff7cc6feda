/** Records out of a page: cut out of its text, byte by byte as they are there. */
import {
  elementsOf,
  isArrayAt,
  isObjectAt,
  JsonFlaw,
  quote,
  skipBlank,
  skipString,
  valueAt,
  valueFrom,
} from '../../core/jsonText.js';
import type { Span } from '../../core/jsonText.js';

export interface PageRecords {
  count: number;
  /** One record a line. */
  lines: Buffer;
  last: Buffer | undefined;
}

const newline = Buffer.from('\n');
const mark = Buffer.from([0xef, 0xbb, 0xbf]);

/** The value in one line: line ends between its parts become blanks. */
const inOneLine = (value: Buffer): Buffer => {
  if (!value.includes(0x0a) && !value.includes(0x0d)) return value;
  const line = Buffer.from(value);
  for (let at = 0; at < line.length; at += 1) {
    const sign = line[at];
    if (sign === 0x0a || sign === 0x0d) line[at] = 0x20;
    else if (sign === quote) {
      const end = skipString(line, at);
      const text = line.subarray(at, end);
      // Within a text a line end is written as an escape.
      if (text.includes(0x0a) || text.includes(0x0d)) throw new JsonFlaw('a text has a line end');
      at = end - 1;
    }
  }
  return line;
};

/** Any text begins with something that could be a word. */
const refuseNonsense = (page: Buffer, { from, to }: Span): void => {
  try {
    JSON.parse(page.toString('utf8', from, to));
  } catch {
    throw new JsonFlaw('no value');
  }
};

/** The values of a text one after the other: one document, or one a line. */
const documentsIn = (page: Buffer): Span[] => {
  const found: Span[] = [];
  for (let at = skipBlank(page, 0); at < page.length;) {
    const value = valueFrom(page, at);
    if (!isArrayAt(page, at) && !isObjectAt(page, at)) refuseNonsense(page, value);
    found.push(value);
    at = skipBlank(page, value.to);
  }
  return found;
};

const isNull = (page: Buffer, { from, to }: Span): boolean =>
  page.toString('latin1', from, to) === 'null';

const spansAt = (page: Buffer, path: readonly string[]): Span[] | undefined => {
  const documents = documentsIn(page);
  const [only, ...more] = documents;
  if (!only) return [];
  if (more.length > 0) {
    if (path.length > 0) throw new JsonFlaw('several documents');
    return documents;
  }
  const value = valueAt(page, only.from, path);
  if (!value) return undefined;
  if (isNull(page, value)) return [];
  return isArrayAt(page, value.from) ? [...elementsOf(page, value.from)] : [value];
};

/** Undefined where the path leads to nothing. Fails with a `JsonFlaw` where the page is no JSON. */
export const recordsIn = (text: Buffer, path: readonly string[]): PageRecords | undefined => {
  const page = text.subarray(0, mark.length).equals(mark) ? text.subarray(mark.length) : text;
  const spans = spansAt(page, path);
  if (!spans) return undefined;
  const records = spans.map(({ from, to }) => inOneLine(page.subarray(from, to)));
  return {
    count: records.length,
    lines: Buffer.concat(records.flatMap((record) => [record, newline])),
    last: records.at(-1),
  };
};

/** A text or number at a path, as text; undefined where there is none, or none that says anything. */
export const wordAt = (text: Buffer, path: readonly string[]): string | undefined => {
  const value = valueAt(text, 0, path);
  if (!value) return undefined;
  const word: unknown = JSON.parse(text.toString('utf8', value.from, value.to));
  if (typeof word === 'number') return text.toString('latin1', value.from, value.to);
  return typeof word === 'string' && word !== '' ? word : undefined;
};
