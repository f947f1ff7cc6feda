/** The bulk csv of connectors, in and out of DuckDB. */
import { quoteName, quoteText } from '../duckdb/quote.js';
import { requireDistinctNames, slot } from './relation.js';
import type { RelationColumn } from './relation.js';
import { toText } from './toText.js';

export interface CsvReadOptions {
  /** No row is longer; a longer one is an error. */
  maxRowBytes: number;
}

/** DuckDB would hold sixteen of the longest rows at once, and more than one such buffer. */
const leastBuffer = 8 * 1024 * 1024;

/**
 * Nothing is guessed: every column is text, NULL is the empty unquoted field, and what does not fit
 * the form is an error. One thread, so that rows come in the order of the file.
 */
export const readCsvSql = (
  path: string,
  columns: readonly unknown[],
  { maxRowBytes }: CsvReadOptions,
): string => {
  const names = columns.map((_, index) => `${quoteText(`:${index}`)}: 'VARCHAR'`);
  return (
    `SELECT * FROM read_csv(${quoteText(path)}, auto_detect = false, header = false, ` +
    `delim = ',', quote = '"', escape = '"', new_line = '\\n', nullstr = '', ` +
    `allow_quoted_nulls = false, strict_mode = true, null_padding = false, ` +
    `ignore_errors = false, parallel = false, max_line_size = ${maxRowBytes}, ` +
    `buffer_size = ${Math.max(leastBuffer, maxRowBytes)}, ` +
    `columns = {${names.join(', ')}})`
  );
};

const written = (column: RelationColumn, index: number): string =>
  column.held === 'text' ? slot(index) : `${toText(slot(index), column.type)} AS ${slot(index)}`;

/** The rows of `sql` as text only, as PostgreSQL would have written them. */
export const textSelect = (sql: string, columns: readonly RelationColumn[]): string =>
  `SELECT ${columns.map(written).join(', ')} FROM (${sql})`;

/** The same under the users' names, for files that others read. */
export const namedTextSelect = (sql: string, columns: readonly RelationColumn[]): string => {
  requireDistinctNames(columns);
  const named = columns.map(({ name }, index) => `${slot(index)} AS ${quoteName(name)}`);
  return `SELECT ${named.join(', ')} FROM (${textSelect(sql, columns)})`;
};

/**
 * Writes the rows of `sql` to a file. Quotes go around what needs them and around every empty
 * text; a row that is nothing but `\\.` would end PostgreSQL's input, so a lone column is quoted.
 */
export const copyCsvSql = (
  sql: string,
  columns: readonly RelationColumn[],
  path: string,
): string => {
  const lone = columns.length === 1 ? `, force_quote (${slot(0)})` : '';
  return (
    `COPY (${textSelect(sql, columns)}) TO ${quoteText(path)} ` +
    `(format csv, header false, delim ',', quote '"', escape '"', nullstr ''${lone})`
  );
};
