import knexFactory from 'knex';
import type { Knex } from 'knex';
import pg from 'pg';

const safeInteger = (text: string): number => {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`int8 ${text} is beyond 2^53`);
  return value;
};

type Parser = (text: string) => unknown;

/** Our pool's own parsers: `pg.types` is shared with connectors and stays as it is. */
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) =>
    oid === pg.types.builtins.INT8 ? safeInteger : (pg.types.getTypeParser(oid, format) as Parser),
};

export interface DatabaseSettings {
  url: string;
  poolSize: number;
  applicationName: string;
  /** Migrations may take their time. */
  statementTimeout?: number;
}

/**
 * Every statement is bounded: one that waits five seconds for a lock or runs for thirty is an
 * error a caller can retry, not a request that hangs.
 */
export const openDatabase = ({
  url,
  poolSize,
  applicationName,
  statementTimeout = 30_000,
}: DatabaseSettings): Knex =>
  knexFactory({
    client: 'pg',
    connection: {
      connectionString: url,
      application_name: applicationName,
      connectionTimeoutMillis: 5_000,
      options: `-c lock_timeout=5s -c statement_timeout=${statementTimeout} -c idle_in_transaction_session_timeout=60s`,
      types,
    } as Knex.PgConnectionConfig,
    pool: { min: 0, max: poolSize, acquireTimeoutMillis: 10_000 },
    acquireConnectionTimeout: 10_000,
  });
