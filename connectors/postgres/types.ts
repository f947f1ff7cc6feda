import type { DataType, PlainType } from '../../core/dataTypes.js';

const native: Readonly<Record<PlainType, string>> = {
  boolean: 'boolean',
  smallint: 'smallint',
  integer: 'integer',
  bigint: 'bigint',
  real: 'real',
  double: 'double precision',
  text: 'text',
  bytes: 'bytea',
  uuid: 'uuid',
  date: 'date',
  time: 'time',
  timestamp: 'timestamp',
  timestamptz: 'timestamptz',
  interval: 'interval',
  numeric: 'numeric',
  json: 'jsonb',
};

/** What a column of ours is created as. */
export const nativeType = (type: DataType): string =>
  type.kind === 'decimal' ? `numeric(${type.precision},${type.scale})` : native[type.kind];
