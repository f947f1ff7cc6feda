/**
 * The functions that ask for the time, as macros that hide DuckDB's own. They all say when the run
 * began: a split that is read again has to give the rows it gave before.
 */
import { quoteText } from '../duckdb/quote.js';

export const momentMacros = (startedAt: Date): readonly string[] => {
  const now = `CAST(${quoteText(startedAt.toISOString())} AS TIMESTAMP WITH TIME ZONE)`;
  const local = `CAST(${now} AS TIMESTAMP)`;
  const today = `CAST(${local} AS DATE)`;
  const zonedTime = `CAST(${now} AS TIME WITH TIME ZONE)`;
  const localTime = `CAST(${local} AS TIME)`;
  const values: Readonly<Record<string, string>> = {
    now,
    get_current_timestamp: now,
    current_timestamp: now,
    transaction_timestamp: now,
    today,
    current_date: today,
    get_current_time: zonedTime,
    current_time: zonedTime,
    current_localtime: localTime,
    localtime: localTime,
    current_localtimestamp: local,
    localtimestamp: local,
  };
  return [
    ...Object.entries(values).map(([name, value]) => `CREATE MACRO ${name}() AS ${value}`),
    `CREATE MACRO ago(span) AS ${now} - CAST(span AS INTERVAL)`,
    `CREATE MACRO age(since) AS system.main.age(CAST(${today} AS TIMESTAMP), since), ` +
      `(upto, since) AS system.main.age(upto, since)`,
  ];
};
