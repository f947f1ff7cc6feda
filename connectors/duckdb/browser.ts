import { offsetOfBytes } from './textPlace.js';
import type { Browser, QueryAnswer, TableWanted } from '../browser.js';
import type { CallContext, OpenDeps } from '../connector.js';
import type { DatabaseProblem } from '../duckdbPort.js';
import { classify, isLocked } from './classify.js';
import { inDatabase } from './database.js';
import type { Database } from './database.js';
import { listCatalogs, listColumns, listSchemas, listTables } from './listing.js';
import type { DuckdbConfig } from './manifest.js';
import { quoteTable } from './quote.js';
import type { TableName } from './quote.js';
import { showRows } from './showing.js';
import { unterminated } from './sourceQuery.js';

/** Somebody waits for the answer, and not as long as a run would. */
const patienceSeconds = 10;

const tooLong = (seconds: number): QueryAnswer => ({
  ok: false,
  message: `The query took longer than ${seconds} s and was ended.`,
});

const refused = ({ message, position }: DatabaseProblem, sql: string): QueryAnswer => ({
  ok: false,
  message: message.split('\n')[0] ?? '',
  ...(position === undefined ? {} : { position: offsetOfBytes(sql, position) + 1 }),
});

export const makeBrowser = (config: DuckdbConfig, deps: OpenDeps): Browser => {
  const defaultSchema = config.schema ?? 'main';

  const look = <T>(ctx: CallContext, work: (database: Database) => Promise<T>): Promise<T> =>
    inDatabase(config, deps, ctx, work, patienceSeconds);

  const nameOf = ({ schema, table }: TableWanted): TableName => ({
    schema: schema ?? defaultSchema,
    table,
  });

  return {
    defaultSchema,
    schemas: (page, ctx) => look(ctx, (database) => listSchemas(database, page)),
    tables: (schema, page, ctx) =>
      look(ctx, (database) => listTables(database, schema ?? defaultSchema, page)),
    columns: (wanted, ctx) => look(ctx, (database) => listColumns(database, nameOf(wanted))),
    catalogs: (page, ctx) => look(ctx, (database) => listCatalogs(database, page)),

    preview: (wanted, caps, ctx) =>
      look(ctx, async (database) => {
        const name = nameOf(wanted);
        if ((await listColumns(database, name)) === undefined) return undefined;
        const sql = `SELECT * FROM ${quoteTable(database.name, name)}`;
        const shown = await showRows(database, sql, caps);
        if ('problem' in shown) throw classify(shown.problem, deps.role, config.path);
        return shown.rows;
      }),

    query: async (text, caps, ctx) => {
      const sql = unterminated(text);
      const deadline = AbortSignal.timeout(caps.seconds * 1000);
      const signal = AbortSignal.any([ctx.signal, deadline]);
      const started = performance.now();
      try {
        return await look({ ...ctx, signal }, async (database): Promise<QueryAnswer> => {
          const shown = await showRows(database, sql, caps);
          if (!('problem' in shown)) {
            const executionMs = Math.round(performance.now() - started);
            return { ok: true, rows: shown.rows, rowsScanned: shown.scanned, executionMs };
          }
          const { problem } = shown;
          if (problem.statement >= 0 && !isLocked(problem)) return refused(problem, sql);
          throw classify(problem, deps.role, config.path);
        });
      } catch (error) {
        ctx.signal.throwIfAborted();
        if (deadline.aborted) return tooLong(caps.seconds);
        throw error;
      }
    },
  };
};
