/** Datasets between stages, and Parquet for others to read. */
import { quoteName, quoteText } from '../duckdb/quote.js';
import { duckType } from '../duckdb/types.js';
import { requireDistinctNames, slot } from './relation.js';
import type { RelationColumn } from './relation.js';
import { toText } from './toText.js';
import { isInexact, toTyped } from './toTyped.js';

/** What Parquet has a type for that holds all of DuckDB's values: intervals, for one, it cuts. */
const kept = new Set([
  ...['boolean', 'smallint', 'integer', 'bigint', 'real', 'double', 'bytes', 'uuid'],
  ...['date', 'timestamp', 'timestamptz'],
]);

const mostDigits = 38;

const isKept = ({ type, held }: RelationColumn): boolean =>
  held === 'typed' &&
  (type.kind === 'decimal' ? type.precision <= mostDigits : kept.has(type.kind));

/** How the columns of a dataset are held, by which it is read again. */
export const datasetColumns = (columns: readonly RelationColumn[]): RelationColumn[] =>
  columns.map((column) => (isKept(column) ? column : { ...column, held: 'text' }));

const stored = (column: RelationColumn, index: number): string => {
  const value =
    column.held === 'text' || isKept(column) ? slot(index) : toText(slot(index), column.type);
  return `${value} AS ${slot(index)}`;
};

/**
 * Writes the rows of `sql` as part of a dataset whose columns are `datasetColumns(columns)`: into a
 * folder, as files of about so many bytes. What is read once and soon is cheaper to pack lightly.
 */
export const copyDatasetSql = (
  sql: string,
  columns: readonly RelationColumn[],
  folder: string,
  fileBytes: number,
): string => {
  const rows = `SELECT ${columns.map(stored).join(', ')} FROM (${sql})`;
  return (
    `COPY (${rows}) TO ${quoteText(folder)} ` +
    `(format parquet, compression snappy, file_size_bytes ${fileBytes})`
  );
};

const noRowsSql = (columns: readonly RelationColumn[]): string => {
  const values = columns.map(({ held, type }, index) => {
    const name = held === 'text' ? 'VARCHAR' : duckType(type);
    return `CAST(NULL AS ${name}) AS ${slot(index)}`;
  });
  return `SELECT ${values.join(', ')} WHERE false`;
};

/** All files of a dataset, one after the other, each in its order. */
export const readDatasetSql = (
  paths: readonly string[],
  columns: readonly RelationColumn[],
): string => {
  if (paths.length === 0) return noRowsSql(columns);
  const names = columns.map((_, index) => slot(index)).join(', ');
  return `SELECT ${names} FROM read_parquet([${paths.map(quoteText).join(', ')}])`;
};

/** What Parquet's readers know by a type of its own, beside what datasets keep. */
const isTypedForOthers = ({ type }: RelationColumn): boolean =>
  type.kind === 'time' ||
  (!isInexact(type) && isKept({ type, held: 'typed', name: '', nullable: true }));

const typedItem = (column: RelationColumn, index: number): string => {
  const { held, type, name } = column;
  const typed = isTypedForOthers(column);
  const value =
    held === 'text'
      ? typed
        ? toTyped(slot(index), type)
        : slot(index)
      : typed
        ? slot(index)
        : toText(slot(index), type);
  return `${value} AS ${quoteName(name)}`;
};

/**
 * The rows of `sql` for files that others read: columns by their names and in their types. Numbers
 * without a bound, intervals, JSON and nested values are text, since nothing else is exact.
 */
export const typedSelect = (sql: string, columns: readonly RelationColumn[]): string => {
  requireDistinctNames(columns);
  return `SELECT ${columns.map(typedItem).join(', ')} FROM (${sql})`;
};
