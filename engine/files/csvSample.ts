import type { CsvDialect } from '../csv/dialect.js';
import type { SourceFilesConfig } from '../../core/nodes/sourceFiles.js';
import { differingNames } from './columnNames.js';
import { kindOfText, widerKind } from './valueKind.js';
import type { ValueKind } from './valueKind.js';

/** How a csv file is read. */
export interface CsvLayout {
  dialect: CsvDialect;
  header: boolean;
  /** Beside the empty field. */
  nullText: string;
}

export interface CsvSample {
  layout: CsvLayout;
  names: readonly string[];
  kinds: readonly ValueKind[];
  /** Of the rows looked at. */
  rows: number;
  bytes: number;
}

interface Field {
  text: string;
  quoted: boolean;
}

const mostRows = 20_480;

/** The rows of a text that end in it. Rows that are malformed are not looked at closely. */
export const parseRows = (text: string, dialect: CsvDialect, most: number): Field[][] => {
  const { delimiter, quote, escape } = dialect;
  const rows: Field[][] = [];
  let row: Field[] = [];
  let at = 0;
  while (at < text.length && rows.length < most) {
    let value = '';
    const quoted = quote !== '' && text[at] === quote;
    if (quoted) {
      at += 1;
      for (; at < text.length; at++) {
        const character = text[at] ?? '';
        const next = text[at + 1] ?? '';
        if (character === escape && (next === quote || (escape !== quote && next !== ''))) {
          value += next;
          at += 1;
        } else if (character === quote) break;
        else value += character;
      }
      at += 1;
    }
    const start = at;
    while (at < text.length && text[at] !== delimiter && text[at] !== '\n') at += 1;
    if (at >= text.length) break;
    value += text.slice(start, at);
    const ends = text[at] === '\n';
    if (ends && value.endsWith('\r')) value = value.slice(0, -1);
    row.push({ text: value, quoted });
    at += 1;
    if (!ends) continue;
    const blank = row.length === 1 && value === '' && !quoted;
    if (!blank) rows.push(row);
    row = [];
  }
  return rows;
};

const candidates = [',', ';', '\t', '|'];
const rowsToSniff = 500;

/** The delimiter with which most rows have the same number of fields, two at least. */
const sniffDelimiter = (text: string, quote: string, escape: string): string => {
  let best = { delimiter: ',', share: 0, fields: 1 };
  for (const delimiter of candidates) {
    const rows = parseRows(text, { delimiter, quote, escape }, rowsToSniff);
    const lengths = new Map<number, number>();
    for (const { length } of rows) lengths.set(length, (lengths.get(length) ?? 0) + 1);
    const [fields, count] = [...lengths].sort((a, b) => b[1] - a[1] || b[0] - a[0])[0] ?? [1, 0];
    const share = Math.round((10 * count) / Math.max(1, rows.length));
    const better = share > best.share || (share === best.share && fields > best.fields);
    if (fields > 1 && better) best = { delimiter, share, fields };
  }
  return best.delimiter;
};

/**
 * A first row is a header unless it looks like the rows below it: there is a column with a type of
 * its own, and every field of the first row fits its column.
 */
const looksLikeHeader = (first: readonly Field[], kinds: readonly ValueKind[]): boolean => {
  let typed = false;
  for (const [index, { text, quoted }] of first.entries()) {
    const kind = kinds[index] ?? 'empty';
    if (kind === 'empty' || kind === 'text' || (text === '' && !quoted)) continue;
    if (widerKind(kindOfText(text), kind) !== kind) return true;
    typed = true;
  }
  return !typed;
};

const kindsOf = (rows: readonly Field[][], width: number, nullText: string): ValueKind[] => {
  const kinds = Array.from({ length: width }, (): ValueKind => 'empty');
  for (const row of rows) {
    if (row.length !== width) continue;
    for (const [index, { text, quoted }] of row.entries()) {
      const known = kinds[index] ?? 'empty';
      if (known === 'text' || (!quoted && (text === '' || text === nullText))) continue;
      kinds[index] = widerKind(known, text === '' ? 'text' : kindOfText(text));
    }
  }
  return kinds;
};

/** What the beginning of a csv file says about it; undefined where there are no rows at all. */
export const sampleCsv = (
  beginning: Buffer,
  options: NonNullable<SourceFilesConfig['options']>,
): CsvSample | undefined => {
  const text = beginning.toString('utf8');
  const quote = options.quote ?? '"';
  const escape = options.escape ?? quote;
  const delimiter = options.delimiter ?? sniffDelimiter(text, quote, escape);
  const dialect: CsvDialect = { delimiter, quote, escape };
  const rows = parseRows(text, dialect, options.sampleRows ?? mostRows);
  const first = rows[0];
  if (!first) return undefined;
  const nullText = options.nullString ?? '';
  const below = kindsOf(rows.slice(1), first.length, nullText);
  const header = options.header ?? looksLikeHeader(first, below);
  const given = first.map((field, index) => (header ? field.text : `column${index}`));
  return {
    layout: { dialect, header, nullText },
    names: differingNames(given),
    kinds: header ? below : kindsOf(rows, first.length, nullText),
    rows: rows.length,
    bytes: beginning.length,
  };
};
