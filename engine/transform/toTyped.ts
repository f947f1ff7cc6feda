/**
 * From the text forms that PostgreSQL writes to DuckDB's values. Where DuckDB would read something
 * else than PostgreSQL means, the form is converted; what it cannot hold is an error of that row.
 */
import type { DataType, PlainType } from '../../core/dataTypes.js';
import { duckType } from '../duckdb/types.js';

/** To be asked for, as NULL is a value of every type: it answers no question. */
const refuse = (what: string): string => `error('not a value of type ${what}')`;

/** DuckDB's own cast rounds a fraction, where PostgreSQL refuses it. */
const whole =
  (kind: PlainType) =>
  (x: string): string => {
    const broken = ['.', 'e', 'E'].map((sign) => `contains(${x}, '${sign}')`).join(' OR ');
    return `CASE WHEN ${broken} THEN ${refuse(kind)} ELSE CAST(${x} AS ${duckType({ kind })}) END`;
  };

/** DuckDB's own cast makes infinity or zero of numbers that are too large or too small. */
const floating =
  (kind: PlainType) =>
  (x: string): string => {
    const value = `CAST(${x} AS ${duckType({ kind })})`;
    return (
      `CASE WHEN isinf(${value}) AND NOT regexp_matches(${x}, '[iI]') ` +
      `OR ${value} = 0 AND regexp_matches(${x}, '^[^eE]*[1-9]') ` +
      `THEN ${refuse(kind)} ELSE ${value} END`
    );
  };

/** DuckDB puts the era behind the date, PostgreSQL behind everything. */
const eraMoved = (x: string): string =>
  `CASE WHEN ends_with(${x}, ' BC') ` +
  `THEN regexp_replace(${x}, '^(\\S+)(.*) BC$', '\\1 (BC)\\2') ELSE ${x} END`;

/** DuckDB's own cast overlooks what stands behind a date or a time. */
const date = (x: string): string =>
  `CASE WHEN regexp_full_match(${x}, '[0-9]+-[0-9]{1,2}-[0-9]{1,2}') THEN CAST(${x} AS DATE) ` +
  `ELSE CAST(CAST(${eraMoved(x)} AS TIMESTAMP) AS DATE) END`;

const time = (x: string): string =>
  `CASE WHEN NOT regexp_full_match(${x}, '[0-9]{1,2}:[0-9]{2}(:[0-9]{2}([.][0-9]+)?)?') ` +
  `THEN ${refuse('time')} ELSE CAST(${x} AS TIME) END`;

/** DuckDB's own cast knows only escapes of single bytes, and takes the digits for text. */
const bytes = (x: string): string =>
  `CASE WHEN starts_with(${x}, '\\x') AND length(${x}) % 2 = 0 THEN unhex(substr(${x}, 3)) ` +
  `WHEN contains(${x}, '\\') THEN ${refuse('bytes')} ELSE encode(${x}) END`;

const isoPart = (x: string, before: string, unit: string): string =>
  `coalesce(try_cast(regexp_extract(${x}, '${before}(-?[0-9]+)${unit}', 1) AS BIGINT), 0)`;

const isoForm =
  'P(-?[0-9]+Y)?(-?[0-9]+M)?(-?[0-9]+W)?(-?[0-9]+D)?' +
  '(T(-?[0-9]+H)?(-?[0-9]+M)?(-?[0-9]+([.][0-9]+)?S)?)?';

/** ISO 8601, which DuckDB does not read. */
const isoInterval = (x: string): string => {
  const days = '^P[^T]*?';
  const seconds = `try_cast(regexp_extract(${x}, 'T.*?(-?[0-9]+([.][0-9]+)?)S', 1) AS DECIMAL(38,6))`;
  return (
    `to_months(CAST(${isoPart(x, days, 'Y')} * 12 + ${isoPart(x, days, 'M')} AS INTEGER)) + ` +
    `to_days(CAST(${isoPart(x, days, 'W')} * 7 + ${isoPart(x, days, 'D')} AS INTEGER)) + ` +
    `to_microseconds(${isoPart(x, 'T', 'H')} * 3600000000 + ` +
    `${isoPart(x, 'T[^M]*?', 'M')} * 60000000 + ` +
    `CAST(coalesce(${seconds}, 0) * 1000000 AS BIGINT))`
  );
};

const interval = (x: string): string =>
  `CASE WHEN regexp_full_match(${x}, '${isoForm}') THEN ${isoInterval(x)} ` +
  `ELSE CAST(${x} AS INTERVAL) END`;

/** Longer ones may pass what a double reaches, and would silently become infinite. */
const mostNumericCharacters = 300;

const numeric = (x: string): string =>
  `CASE WHEN length(${x}) > ${mostNumericCharacters} THEN ${refuse('double')} ` +
  `ELSE ${floating('double')(x)} END`;

const conversions: Readonly<Partial<Record<PlainType, (x: string) => string>>> = {
  smallint: whole('smallint'),
  integer: whole('integer'),
  bigint: whole('bigint'),
  real: floating('real'),
  double: floating('double'),
  text: (x) => x,
  bytes,
  date,
  time,
  timestamp: (x) => `CAST(${eraMoved(x)} AS TIMESTAMP)`,
  timestamptz: (x) => `CAST(${eraMoved(x)} AS TIMESTAMP WITH TIME ZONE)`,
  interval,
  numeric,
};

/** `x`: the SQL of a text. */
export const toTyped = (x: string, type: DataType): string => {
  if (type.kind === 'decimal') {
    return duckType(type) === 'DOUBLE' ? numeric(x) : `CAST(${x} AS ${duckType(type)})`;
  }
  return conversions[type.kind]?.(x) ?? `CAST(${x} AS ${duckType(type)})`;
};

/** Whether DuckDB has no type that holds every value of it exactly. */
export const isInexact = (type: DataType): boolean =>
  type.kind === 'numeric' || (type.kind === 'decimal' && duckType(type) === 'DOUBLE');

/** Equal numbers as equal texts: PostgreSQL keeps a scale with every value. */
export const canonicalNumber = (x: string): string =>
  `CASE WHEN contains(${x}, '.') THEN rtrim(rtrim(${x}, '0'), '.') ELSE ${x} END`;
