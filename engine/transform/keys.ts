/** Columns by which rows are compared: equal values have to be equal, however they are written. */
import { quoteName } from '../duckdb/quote.js';
import { slot } from './relation.js';
import type { DraftColumn } from './relation.js';
import { typedColumn } from './scope.js';
import { canonicalNumber, isInexact } from './toTyped.js';

export type OrderBy = readonly {
  column: string;
  direction: 'asc' | 'desc';
  nulls?: 'first' | 'last';
}[];

export interface Key {
  sql: string;
  column: DraftColumn;
}

/** The column as something DuckDB can compare without losing digits. */
export const keyOf = (column: DraftColumn, place: number): Key =>
  column.held === 'text' && column.type && isInexact(column.type)
    ? { sql: canonicalNumber(slot(place)), column }
    : { sql: typedColumn(column, slot(place)), column: { ...column, held: 'typed' } };

const whole = new Set(['smallint', 'integer', 'bigint']);

const isDigits = ({ held, type }: DraftColumn): boolean =>
  held === 'text' &&
  type !== undefined &&
  (whole.has(type.kind) || type.kind === 'decimal' || type.kind === 'numeric');

/** Both sides of an equation between two relations, so that they can be compared at all. */
export const keyPair = (
  left: Key['column'],
  leftPlace: number,
  right: Key['column'],
  rightPlace: number,
): readonly [string, string] => {
  const inexact = [left, right].some(({ type }) => type !== undefined && isInexact(type));
  return inexact && isDigits(left) && isDigits(right)
    ? [canonicalNumber(slot(leftPlace)), canonicalNumber(slot(rightPlace))]
    : [typedColumn(left, slot(leftPlace)), typedColumn(right, slot(rightPlace))];
};

const opposite = { asc: 'DESC', desc: 'ASC', first: 'LAST', last: 'FIRST' } as const;

/** `names` as `orderItems` calls them. */
export const orderSql = (orderBy: OrderBy, names: readonly string[], reversed: boolean): string[] =>
  orderBy.map(({ direction, nulls = 'last' }, index) => {
    const words = reversed
      ? `${opposite[direction]} NULLS ${opposite[nulls]}`
      : `${direction.toUpperCase()} NULLS ${nulls.toUpperCase()}`;
    return `${names[index] ?? ''} ${words}`;
  });

/** What rows are ordered by, to stand in a SELECT beside them. */
export const orderItems = (
  columns: readonly DraftColumn[],
  places: readonly number[],
): { items: string[]; names: string[] } => {
  const names = places.map((_, index) => quoteName(`:order${index}`));
  const items = places.map((place, index) => {
    const column = columns[place] as DraftColumn;
    return `${typedColumn(column, slot(place))} AS ${names[index] ?? ''}`;
  });
  return { items, names };
};
