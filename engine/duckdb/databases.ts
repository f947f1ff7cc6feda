import type { DuckDatabases } from '../../connectors/duckdbPort.js';
import type { MakeScratch } from '../staging/scratch.js';
import { DuckFailure } from './failure.js';
import type { DuckDb } from './program.js';

/** The engine's DuckDB, for the connector of its files. */
export const makeDatabases = ({
  duckdb,
  scratch,
}: {
  duckdb: DuckDb;
  scratch: MakeScratch;
}): DuckDatabases => ({
  run: async ({ file, name, access, directory, statements }, signal) => {
    const program = {
      directory,
      reads: [],
      database: { file, name, readOnly: access === 'read' },
      statements: statements.map((sql) => ({ sql })),
    };
    try {
      return { results: await duckdb.run(program, signal) };
    } catch (error) {
      if (!(error instanceof DuckFailure)) throw error;
      const { statement, type, message, position } = error.engineError;
      return {
        problem: { statement, type, message, ...(position === undefined ? {} : { position }) },
      };
    }
  },
  scratch: () => scratch('database'),
});
