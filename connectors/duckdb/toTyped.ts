/**
 * From text in PostgreSQL's notation to DuckDB's values. DuckDB's own casts round, cut and overlook;
 * what would be another value than the one that came is told apart before it is cast.
 */
import type { DataType } from '../../core/dataTypes.js';
import { isNested } from './types.js';

export interface Typed {
  value: string;
  /** SQL of a condition: the value is none of the type, whatever the cast says. */
  refused?: string;
}

const matches = (x: string, pattern: string): string => `regexp_full_match(${x}, '${pattern}')`;
const cast = (x: string, type: string): string => `CAST(${x} AS ${type})`;

/** DuckDB has the era behind the date. */
const eraMoved = (x: string): string =>
  `CASE WHEN ends_with(${x}, ' BC') ` +
  `THEN regexp_replace(${x}, '^(\\S+)(.*) BC$', '\\1 (BC)\\2') ELSE ${x} END`;

/** The cast would round. */
const whole = (x: string, type: string): Typed => ({
  value: cast(x, type),
  refused: `regexp_matches(${x}, '[.eE]')`,
});

const decimal = (x: string, type: string, scale: string): Typed => ({
  value: cast(x, type),
  refused: `regexp_matches(${x}, '[.][0-9]{${scale}}[0-9]*[1-9]') OR regexp_matches(${x}, '[eE]')`,
});

/** The cast makes infinity of what is too large, and zero of what is too small. */
const floating = (x: string, type: string): Typed => ({
  value: cast(x, type),
  refused:
    `isinf(TRY_CAST(${x} AS ${type})) AND NOT regexp_matches(${x}, '[iI]') ` +
    `OR TRY_CAST(${x} AS ${type}) = 0 AND regexp_matches(${x}, '^[^eE]*[1-9]')`,
});

const infinity = '-?infinity';

/** The cast overlooks what stands behind a date. */
const date = (x: string): Typed => ({
  value: cast(eraMoved(x), 'DATE'),
  refused: `NOT ${matches(x, `${infinity}|[0-9]+-[0-9]{1,2}-[0-9]{1,2}( BC)?`)}`,
});

const time = (x: string, type: string): Typed => ({
  value: cast(x, type),
  refused: `NOT ${matches(x, '[0-9]{1,2}:[0-9]{2}(:[0-9]{2}([.][0-9]+)?)?')}`,
});

/** The cast cuts digits of seconds that the type does not hold. */
const moment = (x: string, type: string, digits: number): Typed => ({
  value: cast(eraMoved(x), type),
  refused: `regexp_matches(${x}, '[.][0-9]{${digits}}[0-9]*[1-9]')`,
});

/** Bytes come as hexadecimal digits; any other text is its own bytes. */
const bytes = (x: string, from: DataType): Typed =>
  from.kind === 'bytes'
    ? {
        value: `unhex(substr(${x}, 3))`,
        refused: `NOT ${matches(x, '\\\\x([0-9a-fA-F]{2})*')}`,
      }
    : { value: `encode(${x})` };

const wholeTypes = new Set([
  ...['TINYINT', 'SMALLINT', 'INTEGER', 'BIGINT', 'HUGEINT', 'BIGNUM'],
  ...['UTINYINT', 'USMALLINT', 'UINTEGER', 'UBIGINT', 'UHUGEINT'],
]);

const momentDigits: Readonly<Record<string, number>> = {
  TIMESTAMP_S: 0,
  TIMESTAMP_MS: 3,
  TIMESTAMP: 6,
  TIMESTAMP_NS: 9,
  'TIMESTAMP WITH TIME ZONE': 6,
};

/** `x`: the SQL of a text that is not NULL where `refused` is asked; `to`: DuckDB's own word. */
export const toTyped = (x: string, from: DataType, to: string): Typed => {
  const digits = Object.hasOwn(momentDigits, to) ? momentDigits[to] : undefined;
  const scale = /^DECIMAL\(\d+,(\d+)\)$/.exec(to)?.[1];
  if (to === 'VARCHAR') return { value: x };
  if (wholeTypes.has(to)) return whole(x, to);
  if (scale !== undefined) return decimal(x, to, scale);
  if (digits !== undefined) return moment(x, to, digits);
  if (isNested(to)) return { value: cast(cast(x, 'JSON'), to) };
  switch (to) {
    case 'FLOAT':
    case 'DOUBLE':
      return floating(x, to);
    case 'DATE':
      return date(x);
    case 'TIME':
      return time(x, to);
    case 'BLOB':
      return bytes(x, from);
    default:
      return { value: cast(x, to) };
  }
};
