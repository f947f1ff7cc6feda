/**
 * Rows between two steps. Users' column names never become names of ours: a relation's columns are
 * called by their place, so that no name can clash, hide another or break out of its quotes.
 */
import type { Column, DataType } from '../../core/dataTypes.js';
import { RunFailure } from '../../core/failures.js';
import { quoteName } from '../duckdb/quote.js';

/**
 * `text`: in the text form that PostgreSQL has for the type, untouched since it was read, exact to
 * the last digit. `typed`: as a value of `duckType(type)` or one DuckDB came up with.
 */
export type Held = 'text' | 'typed';

export type RelationColumn = Column & { held: Held };

/** A column whose type only DuckDB can tell, and has not been asked for yet. */
export type DraftColumn = Omit<RelationColumn, 'type'> & { type: DataType | undefined };

/** What a column is called in SQL of ours, by its place. */
export const slot = (index: number): string => quoteName(`:${index}`);

export const slots = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => slot(index));

/** Names that begin like ours cannot be told from them within an expression. */
export const isReserved = (name: string): boolean => name.startsWith(':');

/** DuckDB compares names without case, and so do those who write expressions. */
export const lowerCase = (name: string): string =>
  name.replace(/[A-Z]+/g, (capitals) => capitals.toLowerCase());

/** The place of the column that is meant: spelled like this, or else the only one in other case. */
export const placeOfColumn = (
  columns: readonly { name: string }[],
  name: string,
): number | undefined => {
  const exact = columns.findIndex((column) => column.name === name);
  if (exact >= 0) return exact;
  const wanted = lowerCase(name);
  const places = columns.flatMap((column, index) =>
    lowerCase(column.name) === wanted ? [index] : [],
  );
  return places.length === 1 ? places[0] : undefined;
};

/** Whoever reads a file may not tell capitals from small letters; DuckDB, which writes it, does not. */
export const requireDistinctNames = (columns: readonly { name: string }[]): void => {
  const seen = new Map<string, string>();
  for (const { name } of columns) {
    const other = seen.get(lowerCase(name));
    if (other !== undefined) {
      throw new RunFailure({
        code: 'config_invalid',
        class: 'config',
        message: `The columns ${other} and ${name} would be one in a file: rename one before it.`,
      });
    }
    seen.set(lowerCase(name), name);
  }
};

export const stepFailure = (nodeId: string, message: string): RunFailure =>
  new RunFailure({ code: 'expression_error', class: 'config', message, nodeId });

const mostNames = 20;

export const namesOf = (columns: readonly { name: string }[]): string => {
  const names = columns.slice(0, mostNames).map(({ name }) => name);
  return columns.length > mostNames ? `${names.join(', ')}, …` : names.join(', ');
};

/** For columns that a configuration names outright. */
export const requireColumn = (
  nodeId: string,
  columns: readonly { name: string }[],
  name: string,
): number => {
  const place = placeOfColumn(columns, name);
  if (place !== undefined) return place;
  throw stepFailure(nodeId, `There is no column ${name} here. There are: ${namesOf(columns)}.`);
};
