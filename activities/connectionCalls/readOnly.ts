import type { Issue } from '../../core/errors.js';
import type { Dialect } from '../../core/live.js';
import { checkDuckdbQuery } from '../../sql/readOnly/duckdb.js';
import { checkMysqlQuery } from '../../sql/readOnly/mysql.js';
import { checkPostgresQuery } from '../../sql/readOnly/postgres.js';
import type { PostgresNames } from '../../sql/readOnly/postgres.js';
import { SqlRefusal } from '../../sql/refusal.js';

/** What the text was found to be: why it is not run, or what it relies on. */
export type ReadQuery = { refused: Issue } | { names: PostgresNames };

const nothing: PostgresNames = { functions: [], operators: [] };

/** What DuckDB's own parser makes of a text. */
export type Serialize = (text: string) => Promise<string>;

type Reader = (sql: string, serialize: Serialize) => Promise<PostgresNames>;

/** Nothing runs that nobody has read: a dialect without a reader has no queries. */
const readers: Readonly<Partial<Record<Dialect, Reader>>> = {
  postgres: checkPostgresQuery,
  mysql: async (sql) => {
    checkMysqlQuery(sql);
    return nothing;
  },
  // What macros of the file stand for can reach nothing but the file either.
  duckdb: async (sql, serialize) => {
    await checkDuckdbQuery(sql, serialize);
    return nothing;
  },
};

export const refusedQuery = (message: string): { refused: Issue } => ({
  refused: { pointer: '/sql', code: 'query_refused', message },
});

export const readQuery = async (
  dialect: Dialect,
  sql: string,
  serialize: Serialize,
): Promise<ReadQuery> => {
  const read = readers[dialect];
  if (!read) return refusedQuery('Queries of this dialect cannot be read, and so are not run.');
  try {
    return { names: await read(sql, serialize) };
  } catch (error) {
    if (!(error instanceof SqlRefusal)) throw error;
    const { message, place } = error;
    const at = place ? `At line ${place.line}, column ${place.column}: ` : 'Refused: ';
    return refusedQuery(`${at}${message}.`);
  }
};
