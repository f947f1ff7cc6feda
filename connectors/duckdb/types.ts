import type { DataType, PlainType } from '../../core/dataTypes.js';
import type { Column } from '../connector.js';

const plain: Readonly<Record<string, DataType>> = {
  BOOLEAN: { kind: 'boolean' },
  TINYINT: { kind: 'smallint' },
  UTINYINT: { kind: 'smallint' },
  SMALLINT: { kind: 'smallint' },
  USMALLINT: { kind: 'integer' },
  INTEGER: { kind: 'integer' },
  UINTEGER: { kind: 'bigint' },
  BIGINT: { kind: 'bigint' },
  UBIGINT: { kind: 'decimal', precision: 20, scale: 0 },
  HUGEINT: { kind: 'decimal', precision: 39, scale: 0 },
  UHUGEINT: { kind: 'decimal', precision: 39, scale: 0 },
  BIGNUM: { kind: 'numeric' },
  FLOAT: { kind: 'real' },
  DOUBLE: { kind: 'double' },
  BLOB: { kind: 'bytes' },
  UUID: { kind: 'uuid' },
  DATE: { kind: 'date' },
  TIME: { kind: 'time' },
  TIMESTAMP: { kind: 'timestamp' },
  TIMESTAMP_S: { kind: 'timestamp' },
  TIMESTAMP_MS: { kind: 'timestamp' },
  'TIMESTAMP WITH TIME ZONE': { kind: 'timestamptz' },
  INTERVAL: { kind: 'interval' },
  JSON: { kind: 'json' },
};

/** Lists, structs, maps and unions: JSON on their way. */
export const isNested = (type: string): boolean => /\[\d*\]$|^(STRUCT|MAP|UNION)\(/.test(type);

/**
 * Our word for a type of DuckDB's. Those that hold more than any of ours (nanoseconds, times with a
 * zone) or that no other system has (enums, bits) are text in DuckDB's own form.
 */
export const dataTypeOf = (type: string): DataType => {
  if (isNested(type)) return { kind: 'json' };
  const decimal = /^DECIMAL\((\d+),(\d+)\)$/.exec(type);
  if (decimal) {
    return { kind: 'decimal', precision: Number(decimal[1]), scale: Number(decimal[2]) };
  }
  return (Object.hasOwn(plain, type) ? plain[type] : undefined) ?? { kind: 'text' };
};

/** What a column of ours is created as. */
const created: Readonly<Record<PlainType, string>> = {
  boolean: 'BOOLEAN',
  smallint: 'SMALLINT',
  integer: 'INTEGER',
  bigint: 'BIGINT',
  real: 'FLOAT',
  double: 'DOUBLE',
  text: 'VARCHAR',
  bytes: 'BLOB',
  uuid: 'UUID',
  date: 'DATE',
  time: 'TIME',
  timestamp: 'TIMESTAMP',
  timestamptz: 'TIMESTAMP WITH TIME ZONE',
  interval: 'INTERVAL',
  // No type here has as many digits on both sides of the point as it likes.
  numeric: 'VARCHAR',
  json: 'JSON',
};

const mostDigits = 38;

export const createdType = ({ type, native }: Column): string => {
  if (native?.system === 'duckdb') return native.type;
  if (type.kind !== 'decimal') return created[type.kind];
  return type.precision <= mostDigits ? `DECIMAL(${type.precision},${type.scale})` : 'VARCHAR';
};

/** Numbers for which there is no exact type: they are kept as text. */
export const becomesText = (column: Column): boolean =>
  ['decimal', 'numeric'].includes(column.type.kind) && createdType(column) === 'VARCHAR';
