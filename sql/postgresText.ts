import type { DataType, PlainType } from '../core/dataTypes.js';

/** One quoting function for names, one for text: the only ways text enters a pushed expression. */
export const quoteName = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** A backslash means itself only in the E form, whatever the server's settings are. */
export const quoteText = (text: string): string =>
  text.includes('\\')
    ? `E'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`
    : `'${text.replaceAll("'", "''")}'`;

const names: Readonly<Partial<Record<PlainType, string>>> = {
  boolean: 'boolean',
  smallint: 'smallint',
  integer: 'integer',
  bigint: 'bigint',
  real: 'real',
  double: 'double precision',
  text: 'text',
  uuid: 'uuid',
  date: 'date',
  timestamp: 'timestamp without time zone',
  timestamptz: 'timestamp with time zone',
};

/** What PostgreSQL calls a type, as `format_type` writes it; undefined for those never pushed. */
export const postgresType = (type: DataType): string | undefined =>
  type.kind === 'decimal' ? `numeric(${type.precision},${type.scale})` : names[type.kind];
