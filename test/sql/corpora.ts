import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Texts that are to be allowed or refused, one list a file. */
export const corpus = (
  name: `${'expressions' | 'queries' | 'postgres' | 'mysql' | 'duckdb'}-${'allowed' | 'refused'}`,
): readonly string[] =>
  JSON.parse(
    readFileSync(join(__dirname, '../fixtures/sql', `${name}.json`), 'utf8'),
  ) as readonly string[];
