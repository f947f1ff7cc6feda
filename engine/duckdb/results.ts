import { JsonDuckDBValueConverter } from '@duckdb/node-api';
import type {
  DuckDBConnection,
  DuckDBPreparedStatement,
  DuckDBType,
  DuckDBValue,
  Json,
} from '@duckdb/node-api';
import type { DuckResult, DuckStatement } from './program.js';

/** Integers that a double holds are numbers, all others the text they came as. */
const cell = (
  value: DuckDBValue,
  type: DuckDBType,
  nested: (value: DuckDBValue, type: DuckDBType) => Json,
): Json => {
  if (typeof value !== 'bigint') return nested(value, type);
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value.toString();
};

const toJson = (value: DuckDBValue, type: DuckDBType): Json =>
  value === null
    ? null
    : cell(value, type, (inner, innerType) => JsonDuckDBValueConverter(inner, innerType, toJson));

/** It is exactly one statement, whatever stands in it. */
export const prepare = async (
  connection: DuckDBConnection,
  { sql, values }: DuckStatement,
): Promise<DuckDBPreparedStatement> => {
  const prepared = await connection.prepare(sql);
  if (values !== undefined) prepared.bind([...values]);
  return prepared;
};

export const runPrepared = async (
  prepared: DuckDBPreparedStatement,
  maxRows: number,
): Promise<DuckResult> => {
  const reader = await prepared.streamAndReadUntil(maxRows);
  return { rows: reader.convertRows(toJson).slice(0, maxRows), changed: reader.rowsChanged };
};
