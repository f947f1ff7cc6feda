import type { Browser, QueryAnswer, TableWanted } from '../browser.js';
import type { CallContext, OpenDeps } from '../connector.js';
import { classify, errorNumber, isAboutConnection } from './classify.js';
import { prepare } from './describe.js';
import { listColumns, listSchemas, listTables } from './listing.js';
import type { MysqlConfig } from './manifest.js';
import { quoteTable } from './quote.js';
import type { TableName } from './quote.js';
import { beginReading } from './read.js';
import type { Session } from './session.js';
import { showRows } from './showing.js';
import { inSession } from './transaction.js';

/** The catalog answers in a moment, unless somebody holds a lock on it. */
const lookSeconds = 20;

/** The server's own end of a statement that took too long. */
const timeLimits: ReadonlySet<number> = new Set([1969, 3024, 1317]);

const limitSql = (seconds: number): string =>
  `set session lock_wait_timeout = ${Math.ceil(seconds)}
    /*M!, max_statement_time = ${seconds} */ /*!80000 , max_execution_time = ${seconds * 1000} */`;

const tooLong = (seconds: number): QueryAnswer => ({
  ok: false,
  message: `The query took longer than ${seconds} s and was ended.`,
});

const refused = (error: Error, seconds: number): QueryAnswer =>
  timeLimits.has(errorNumber(error)) ? tooLong(seconds) : { ok: false, message: error.message };

/** Prepared, a text is one statement; and one that answers columns changes no table's shape. */
const requireRows = async (session: Session, sql: string): Promise<void> => {
  const { columns, parameters, close } = await prepare(session.connection, sql);
  close();
  if (columns.length > 0 && parameters.length === 0) return;
  throw Object.assign(new Error('This is no query that answers rows.'), { errno: 1064 });
};

export const makeBrowser = (config: MysqlConfig, deps: OpenDeps): Browser => {
  const look = <T>(
    ctx: CallContext,
    work: (session: Session) => Promise<T>,
    seconds = lookSeconds,
  ): Promise<T> =>
    inSession(config, deps, ctx, async (session) => {
      await session.run(limitSql(seconds));
      await beginReading(session);
      return work(session);
    });

  const nameOf = ({ schema, table }: TableWanted): TableName => ({
    schema: schema ?? config.database,
    table,
  });

  return {
    defaultSchema: config.database,
    schemas: (page, ctx) => look(ctx, (session) => listSchemas(session, page)),
    tables: (schema, page, ctx) =>
      look(ctx, (session) => listTables(session, schema ?? config.database, page)),
    columns: (wanted, ctx) => look(ctx, (session) => listColumns(session, nameOf(wanted))),

    preview: (wanted, caps, ctx) =>
      look(
        ctx,
        async (session) => {
          const name = nameOf(wanted);
          if ((await listColumns(session, name)) === undefined) return undefined;
          const sql = `select * from ${quoteTable(name)} limit ${caps.rows + 1}`;
          return (await showRows(session, sql, caps)).rows;
        },
        caps.seconds,
      ),

    query: async (sql, caps, ctx) => {
      // The server's clock starts anew with every statement; this one is for all of them.
      const deadline = AbortSignal.timeout(caps.seconds * 1000);
      const signal = AbortSignal.any([ctx.signal, deadline]);
      const started = performance.now();
      try {
        return await look(
          { ...ctx, signal },
          async (session): Promise<QueryAnswer> => {
            try {
              await requireRows(session, sql);
              const { rows, scanned } = await showRows(session, sql, caps);
              const executionMs = Math.round(performance.now() - started);
              return { ok: true, rows, rowsScanned: scanned, executionMs };
            } catch (error) {
              if (!(error instanceof Error) || isAboutConnection(error)) throw error;
              return refused(error, caps.seconds);
            }
          },
          caps.seconds,
        );
      } catch (error) {
        ctx.signal.throwIfAborted();
        if (deadline.aborted) return tooLong(caps.seconds);
        throw classify(error, deps.role);
      }
    },
  };
};
