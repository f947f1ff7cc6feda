import { JsonDuckDBValueConverter } from '@duckdb/node-api';
import type { DuckDBConnection, DuckDBType, DuckDBValue, Json } from '@duckdb/node-api';
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

/** Prepared, so that it is exactly one statement whatever stands in it. */
export const runStatement = async (
  connection: DuckDBConnection,
  { sql, values }: DuckStatement,
  maxRows: number,
): Promise<DuckResult> => {
  const prepared = await connection.prepare(sql);
  try {
    if (values !== undefined) prepared.bind([...values]);
    const reader = await prepared.streamAndReadUntil(maxRows);
    return {
      rows: reader.convertRows(toJson).slice(0, maxRows),
      changed: reader.rowsChanged,
    };
  } finally {
    prepared.destroySync();
  }
};
