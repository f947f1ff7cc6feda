import type { CallContext, Column } from '../../connectors/connector.js';
import { layoutOf } from './csvFile.js';
import type { FilePart, FileRange } from './fileRange.js';
import type { FileDeps } from './localFiles.js';
import type { Piece } from './pieces.js';
import { quoteName, quoteText } from '../duckdb/quote.js';
import { csvPart } from './textParts.js';

const smallestLine = 2 * 1024 * 1024;

/** A csv file in DuckDB, as text: its rows are known to be well formed. */
export const csvPiece = async (
  deps: FileDeps,
  range: FileRange,
  columns: readonly Column[],
  part: FilePart,
  directory: string,
  ctx: CallContext,
): Promise<Piece> => {
  const text = await csvPart(deps, range, part, directory, ctx);
  const { dialect, nullText } = layoutOf(range);
  const place = new Map(text.names.map((name, index) => [name.toLowerCase(), index]));
  const selected = columns.map(({ name }) => {
    const index = text.rows === 0 ? undefined : place.get(name.toLowerCase());
    return `${index === undefined ? 'NULL::VARCHAR' : `f${index}`} AS ${quoteName(name)}`;
  });
  const select = `SELECT ${selected.join(', ')}`;
  if (text.rows === 0) return { sql: `${select} WHERE false`, text };
  const line = Math.max(smallestLine, text.longestRow + 1);
  const options = [
    'auto_detect = false',
    'header = false',
    `columns = {${text.names.map((_, index) => `f${index}: 'VARCHAR'`).join(', ')}}`,
    `delim = ${quoteText(dialect.delimiter)}`,
    `quote = ${quoteText(dialect.quote)}`,
    `escape = ${quoteText(dialect.quote === '' ? '' : dialect.escape)}`,
    "new_line = '\\n'",
    `nullstr = ${nullText === '' ? "''" : `['', ${quoteText(nullText)}]`}`,
    'allow_quoted_nulls = false',
    `max_line_size = ${line}`,
    `buffer_size = ${Math.max(16 * smallestLine, 2 * line)}`,
  ];
  return { sql: `${select} FROM read_csv(${quoteText(text.path)}, ${options.join(', ')})`, text };
};
