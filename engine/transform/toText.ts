/** From DuckDB's values to text that PostgreSQL reads as the same value. */
import type { DataType, PlainType } from '../../core/dataTypes.js';

const plain = (x: string): string => `CAST(${x} AS VARCHAR)`;

/** PostgreSQL expects the era behind everything, DuckDB behind the date. */
const eraLast = (text: string, zone: string): string =>
  `replace(${text}, ' (BC)', '') || '${zone} BC'`;

const date = (x: string): string =>
  `CASE WHEN year(${x}) < 1 THEN ${eraLast(plain(x), '')} ELSE ${plain(x)} END`;

/** The first moment of the year 1. Infinity has no such number, and so is not before it. */
const isBeforeChrist = (x: string): string => `epoch_us(${x}) < -62135596800000000`;

const timestamp = (x: string): string =>
  `CASE WHEN ${isBeforeChrist(x)} THEN ${eraLast(plain(x), '')} ELSE ${plain(x)} END`;

/** DuckDB's own text of a moment with a zone drops fractions of seconds far from our time. */
const timestamptz = (x: string): string => {
  const utc = plain(`make_timestamp(epoch_us(${x}))`);
  return (
    `CASE WHEN ${isBeforeChrist(x)} THEN ${eraLast(utc, '+00')} ` +
    `ELSE coalesce(${utc} || '+00', ${plain(x)}) END`
  );
};

/** Lists, structs and maps are JSON on their way; what is JSON keeps every digit and space. */
const json = (x: string): string =>
  `CASE typeof(${x}) WHEN 'JSON' THEN ${plain(x)} ELSE ${plain(`to_json(${x})`)} END`;

const conversions: Readonly<Partial<Record<PlainType, (x: string) => string>>> = {
  bytes: (x) => `'\\x' || lower(hex(${x}))`,
  date,
  timestamp,
  timestamptz,
  json,
};

/** `x`: the SQL of a value that a typed column holds. */
export const toText = (x: string, { kind }: DataType): string =>
  (kind === 'decimal' ? undefined : conversions[kind])?.(x) ?? plain(x);
