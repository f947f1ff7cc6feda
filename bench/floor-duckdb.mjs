/** DuckDB by itself, as it comes: one statement, all cores. */
import { DuckDBInstance } from '@duckdb/node-api';

const instance = await DuckDBInstance.create(':memory:');
const connection = await instance.connect();
await connection.run(process.argv[2] ?? 'select 1');
