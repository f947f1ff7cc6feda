import type { DataType } from '../../core/dataTypes.js';

const order = ['smallint', 'integer', 'bigint', 'decimal', 'numeric', 'real', 'double'] as const;

const digitsOf = (type: DataType): { before: number; after: number } | undefined => {
  if (type.kind === 'decimal') {
    return { before: type.precision - type.scale, after: type.scale };
  }
  const digits = { smallint: 5, integer: 10, bigint: 19 };
  if (type.kind !== 'smallint' && type.kind !== 'integer' && type.kind !== 'bigint')
    return undefined;
  return { before: digits[type.kind], after: 0 };
};

const equal = (one: DataType, other: DataType): boolean =>
  one.kind === other.kind &&
  (one.kind !== 'decimal' ||
    other.kind !== 'decimal' ||
    (one.precision === other.precision && one.scale === other.scale));

/** DuckDB's decimals end here; wider ones would not be exact. */
const mostDigits = 38;

/** A type that holds the values of both: the wider number, a date as its midnight, else text. */
export const widerType = (one: DataType, other: DataType): DataType => {
  if (equal(one, other)) return one;
  if (one.kind === 'json' || other.kind === 'json') return { kind: 'json' };
  const moments = [one.kind, other.kind].sort().join(' ');
  if (moments === 'date timestamp') return { kind: 'timestamp' };
  const first = order.findIndex((kind) => kind === one.kind);
  const second = order.findIndex((kind) => kind === other.kind);
  if (first < 0 || second < 0) return { kind: 'text' };
  const a = digitsOf(one);
  const b = digitsOf(other);
  if (a && b && (one.kind === 'decimal' || other.kind === 'decimal')) {
    const after = Math.max(a.after, b.after);
    const precision = Math.max(a.before, b.before) + after;
    if (precision > mostDigits) return { kind: 'double' };
    return { kind: 'decimal', precision, scale: after };
  }
  // A float has 24 bits for a number's digits; whatever meets one, double has more.
  if ((one.kind === 'real') !== (other.kind === 'real')) return { kind: 'double' };
  return first > second ? one : other;
};
