import type { CallContext, Column } from '../../connectors/connector.js';
import { quoteName, quoteText } from '../duckdb/quote.js';
import type { CsvLayout } from './csvSample.js';
import { layoutOf } from './csvFile.js';
import type { FilePart, FileRange } from './fileRange.js';
import type { FileDeps } from './localFiles.js';
import type { Piece } from './pieces.js';
import { csvPart } from './textParts.js';

/** Lines up to this length DuckDB reads as it comes. */
export const usualLine = 2 * 1024 * 1024;

export interface CsvOnDisk {
  path: string;
  /** Its own columns, in its order. */
  names: readonly string[];
  /** Its first line is none of its rows. */
  header: boolean;
  /** No row is longer. */
  longestRow: number;
}

/** The columns by their names, as text; NULL where the file has none of the name. */
const selectOf = (columns: readonly Column[], names: readonly string[]): string => {
  const place = new Map(names.map((name, index) => [name.toLowerCase(), index]));
  const selected = columns.map(({ name }) => {
    const index = place.get(name.toLowerCase());
    return `${index === undefined ? 'NULL::VARCHAR' : `f${index}`} AS ${quoteName(name)}`;
  });
  return `SELECT ${selected.join(', ')}`;
};

/** A csv file in DuckDB, as text: its rows have to be known to be well formed. */
export const csvSelect = (
  { path, names, header, longestRow }: CsvOnDisk,
  { dialect, nullText }: CsvLayout,
  columns: readonly Column[],
): string => {
  const line = Math.max(usualLine, longestRow + 1);
  const options = [
    'auto_detect = false',
    `header = ${header}`,
    `columns = {${names.map((_, index) => `f${index}: 'VARCHAR'`).join(', ')}}`,
    `delim = ${quoteText(dialect.delimiter)}`,
    `quote = ${quoteText(dialect.quote)}`,
    `escape = ${quoteText(dialect.quote === '' ? '' : dialect.escape)}`,
    "new_line = '\\n'",
    `nullstr = ${nullText === '' ? "''" : `['', ${quoteText(nullText)}]`}`,
    'allow_quoted_nulls = false',
    `max_line_size = ${line}`,
    `buffer_size = ${Math.max(16 * usualLine, 2 * line)}`,
  ];
  return `${selectOf(columns, names)} FROM read_csv(${quoteText(path)}, ${options.join(', ')})`;
};

/** A csv file looked through on its way into the directory. */
export const csvPiece = async (
  deps: FileDeps,
  range: FileRange,
  columns: readonly Column[],
  part: FilePart,
  directory: string,
  ctx: CallContext,
): Promise<Piece> => {
  const text = await csvPart(deps, range, part, directory, ctx);
  if (text.rows === 0) return { sql: `${selectOf(columns, [])} WHERE false`, text };
  const { path, names, longestRow } = text;
  const onDisk = { path, names, header: false, longestRow };
  return { sql: csvSelect(onDisk, layoutOf(range), columns), text };
};
