import { DuckDBInstance } from '@duckdb/node-api';
import type { DuckDBConnection } from '@duckdb/node-api';

export interface Duck {
  connection: DuckDBConnection;
  /** What DuckDB's parser makes of a text. */
  serialize(sql: string): Promise<string>;
  close(): void;
}

export const openDuck = async (): Promise<Duck> => {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  return {
    connection,
    serialize: async (sql) => {
      const reader = await connection.runAndReadAll('select json_serialize_sql(?::varchar)', [sql]);
      return String(reader.getRows()[0]?.[0]);
    },
    close: () => {
      connection.closeSync();
      instance.closeSync();
    },
  };
};
