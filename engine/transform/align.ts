/** One type for values that come out of several columns. */
import type { DataType, PlainType } from '../../core/dataTypes.js';
import { duckType } from '../duckdb/types.js';
import type { RelationColumn } from './relation.js';
import { toText } from './toText.js';
import { isInexact, toTyped } from './toTyped.js';

/** Types that go together, the wider ones last. */
const families: readonly (readonly (PlainType | 'decimal')[])[] = [
  ['smallint', 'integer', 'bigint', 'decimal', 'numeric'],
  ['real', 'double'],
  ['date', 'timestamp', 'timestamptz'],
];

const same = (types: readonly DataType[]): boolean =>
  types.every((type) => JSON.stringify(type) === JSON.stringify(types[0]));

const digits: Readonly<Partial<Record<PlainType, number>>> = {
  smallint: 5,
  integer: 10,
  bigint: 19,
};

/** Room for every digit on either side of the point. */
const commonDecimal = (types: readonly DataType[]): DataType => {
  const parts = types.map((type) =>
    type.kind === 'decimal'
      ? { whole: type.precision - type.scale, scale: type.scale }
      : { whole: digits[type.kind] ?? 0, scale: 0 },
  );
  const scale = Math.max(...parts.map((part) => part.scale));
  const precision = Math.max(...parts.map((part) => part.whole)) + scale;
  return { kind: 'decimal', precision, scale };
};

/** Undefined where values of these types have nothing in common but that they can be text. */
export const commonType = (types: readonly DataType[]): DataType | undefined => {
  const [first] = types;
  if (!first || same(types)) return first;
  const kinds = types.map(({ kind }) => kind);
  const within = (family: readonly string[]): boolean =>
    kinds.every((kind) => family.includes(kind));
  const numbers = [...(families[0] ?? []), ...(families[1] ?? [])];
  if (!families.some(within)) return within(numbers) ? { kind: 'double' } : undefined;
  const family = families.find(within) ?? [];
  const widest = [...family].reverse().find((kind) => kinds.includes(kind));
  if (widest === 'decimal') return commonDecimal(types);
  return widest === undefined ? undefined : { kind: widest };
};

export interface Aligned {
  type: DataType;
  held: 'text' | 'typed';
}

/** Text where it can stay as it is, or where no value of DuckDB's would be exact. */
export const alignment = (columns: readonly RelationColumn[]): Aligned | undefined => {
  const type = commonType(columns.map((column) => column.type));
  if (!type) return undefined;
  const untouched =
    same(columns.map((column) => column.type)) && columns.every(({ held }) => held === 'text');
  return { type, held: untouched || isInexact(type) ? 'text' : 'typed' };
};

export const aligned = (reference: string, column: RelationColumn, to: Aligned): string => {
  if (to.held === 'text') {
    return column.held === 'text' ? reference : toText(reference, column.type);
  }
  const value = column.held === 'text' ? toTyped(reference, column.type) : reference;
  // Lists and structs are JSON only once they are written.
  if (to.type.kind === 'json') return `to_json(${value})`;
  return same([column.type, to.type]) ? value : `CAST(${value} AS ${duckType(to.type)})`;
};
