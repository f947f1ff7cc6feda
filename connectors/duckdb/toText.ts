/** From DuckDB's values to the text that crosses to other systems. */
import { isNested } from './types.js';

const plain = (x: string): string => `CAST(${x} AS VARCHAR)`;

/** The era stands behind everything elsewhere, and behind the date here. */
const eraLast = (text: string, zone = ''): string =>
  `replace(${text}, ' (BC)', '') || '${zone} BC'`;

/** Of a moment; infinity has no such number. */
const isBeforeChrist = (x: string): string => `epoch_us(${x}) < -62135596800000000`;

const date = (x: string): string =>
  `CASE WHEN year(${x}) < 1 THEN ${eraLast(plain(x))} ELSE ${plain(x)} END`;

const timestamp = (x: string): string =>
  `CASE WHEN ${isBeforeChrist(x)} THEN ${eraLast(plain(x))} ELSE ${plain(x)} END`;

/** DuckDB's own text of a moment with a zone drops fractions of seconds far from our time. */
const zoned = (x: string): string => {
  const utc = plain(`make_timestamp(epoch_us(${x}))`);
  return (
    `CASE WHEN ${isBeforeChrist(x)} THEN ${eraLast(utc, '+00')} ` +
    `ELSE coalesce(${utc} || '+00', ${plain(x)}) END`
  );
};

const conversions: Readonly<Record<string, (x: string) => string>> = {
  BLOB: (x) => `'\\x' || lower(hex(${x}))`,
  DATE: date,
  TIMESTAMP: timestamp,
  TIMESTAMP_S: timestamp,
  TIMESTAMP_MS: timestamp,
  'TIMESTAMP WITH TIME ZONE': zoned,
};

/** `x`: the SQL of a value, `type`: DuckDB's own word for its type. */
export const toText = (x: string, type: string): string => {
  if (isNested(type)) return plain(`to_json(${x})`);
  return (Object.hasOwn(conversions, type) ? conversions[type] : undefined)?.(x) ?? plain(x);
};
