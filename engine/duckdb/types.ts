import type { DataType, PlainType } from '../../core/dataTypes.js';

/** What DuckDB holds a value of ours in once an expression names it; until then it stays text. */
const names: Readonly<Record<PlainType, string>> = {
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
  // Without a scale there is no exact type wide enough: in expressions it is a double.
  numeric: 'DOUBLE',
  json: 'JSON',
};

/** DuckDB's decimals end here. */
const mostDigits = 38;

export const duckType = (type: DataType): string => {
  if (type.kind !== 'decimal') return names[type.kind];
  return type.precision <= mostDigits ? `DECIMAL(${type.precision},${type.scale})` : 'DOUBLE';
};

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
  TIMESTAMP_NS: { kind: 'timestamp' },
  'TIMESTAMP WITH TIME ZONE': { kind: 'timestamptz' },
  INTERVAL: { kind: 'interval' },
  JSON: { kind: 'json' },
};

const nested = /\[\d*\]$|^(STRUCT|MAP|UNION)\(/;

/** The type of ours for one that DESCRIBE names. Nested values travel as JSON, the rest as text. */
export const dataTypeOf = (name: string): DataType => {
  const known = Object.hasOwn(plain, name) ? plain[name] : undefined;
  if (known) return known;
  const decimal = /^DECIMAL\((\d+),(\d+)\)$/.exec(name);
  if (decimal) {
    return { kind: 'decimal', precision: Number(decimal[1]), scale: Number(decimal[2]) };
  }
  return { kind: nested.test(name) ? 'json' : 'text' };
};
