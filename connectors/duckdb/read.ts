import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { RunFailure } from '../../core/failures.js';
import type { BadRow, BulkRead, CallContext, Counts, OpenDeps } from '../connector.js';
import { openDatabase } from './database.js';
import type { Database } from './database.js';
import { describe, rowBytes, signatureOf, slot, textSelect } from './describe.js';
import type { Described } from './describe.js';
import type { DuckdbConfig } from './manifest.js';
import { quoteText } from './quote.js';
import { selectSql } from './sourceQuery.js';
import type { Selection } from './sourceQuery.js';
import type { DuckdbRange } from './splits.js';

const refuseChange = (described: readonly Described[], { signature }: DuckdbRange): void => {
  if (signatureOf(described) === signature) return;
  throw new RunFailure({
    code: 'schema_drift',
    class: 'schema',
    message: 'The columns of the source have changed since the run began: start it again.',
  });
};

/** Quotes go around what needs them and around every empty text; NULL is nothing at all. */
const copySql = (sql: string, described: readonly Described[], file: string): string => {
  // A row that is nothing but `\.` would end the input of PostgreSQL.
  const lone = described.length === 1 ? `, force_quote (${slot(0)})` : '';
  return (
    `COPY (${sql}) TO ${quoteText(file)} ` +
    `(format csv, header false, delim ',', quote '"', escape '"', nullstr ''${lone})`
  );
};

const chunkBytes = 256 * 1024;

/** More than so many in one split are not looked at one by one. */
const mostRejected = 10_000;

const tooLarge = (row: unknown, bytes: unknown): BadRow => ({
  row: Number(row),
  code: 'row_too_large',
  message: `The row has about ${String(bytes)} bytes, and larger ones than the limit are not read.`,
});

interface Exported {
  file: string;
  rows: number;
  rejected: readonly BadRow[];
}

/** No row of a file can be larger than the file is: most of the time, that is all there is to do. */
const exportRows = async (
  database: Database,
  sql: string,
  described: readonly Described[],
  maxRowBytes: number,
): Promise<Exported> => {
  const texts = textSelect(sql, described);
  const file = join(database.directory, 'rows.csv');
  const [copied] = await database.run('read', [copySql(texts, described, file)]);
  const all: Exported = { file, rows: copied?.changed ?? 0, rejected: [] };
  if ((await stat(file)).size <= maxRowBytes) return all;
  const bytes = rowBytes(described);
  const find =
    `SELECT place, bytes FROM (SELECT row_number() OVER () - 1 AS place, ${bytes} AS bytes ` +
    `FROM (${texts})) WHERE bytes > ${maxRowBytes} LIMIT ${mostRejected}`;
  const [found] = await database.run('read', [find]);
  if (found?.rows.length === 0) return all;
  const fitting = `SELECT * FROM (${texts}) WHERE ${bytes} <= ${maxRowBytes}`;
  const smaller = join(database.directory, 'fitting.csv');
  const [, again, kept] = await database.run('read', [
    'BEGIN',
    find,
    copySql(fitting, described, smaller),
    'COMMIT',
  ]);
  const rejected = (again?.rows ?? []).map(([row, size]) => tooLarge(row, size));
  return { file: smaller, rows: kept?.changed ?? 0, rejected };
};

/**
 * One split: DuckDB writes it to a file and lets go of the database before the first byte of it goes
 * on, so that whoever takes the rows may write to the same database.
 */
export const readRange = (
  config: DuckdbConfig,
  deps: OpenDeps,
  selection: Selection,
  range: DuckdbRange,
  ctx: CallContext,
): BulkRead => {
  let counts: Counts = { rows: 0, bytes: 0 };
  let rejected: readonly BadRow[] = [];

  async function* chunks(): AsyncGenerator<Buffer> {
    const database = await openDatabase(config, deps, ctx);
    try {
      const names = { catalog: database.name, schema: config.schema ?? 'main' };
      const sql = selectSql(selection, names, range.range);
      const described = await describe(database, sql);
      refuseChange(described, range);
      const exported = await exportRows(database, sql, described, deps.maxRowBytes);
      rejected = exported.rejected;
      counts = { rows: exported.rows, bytes: (await stat(exported.file)).size };
      for await (const chunk of createReadStream(exported.file, { highWaterMark: chunkBytes })) {
        ctx.signal.throwIfAborted();
        yield chunk as Buffer;
      }
    } catch (error) {
      ctx.signal.throwIfAborted();
      throw error;
    } finally {
      await database.close();
    }
  }

  return {
    format: 'csv',
    columns: range.columns,
    chunks: chunks(),
    counts: () => counts,
    rejected: () => rejected,
  };
};
