import pg from 'pg';
import type { Browser, QueryAnswer, TableWanted } from '../browser.js';
import type { CallContext, OpenDeps } from '../connector.js';
import { classify } from './classify.js';
import { hasTable, listCatalogs, listColumns, listSchemas, listTables } from './listing.js';
import type { PostgresConfig } from './manifest.js';
import { quoteTable } from './quote.js';
import type { TableName } from './quote.js';
import { beginLooking } from './reading.js';
import { placeIn, showRows } from './showing.js';
import { inTransaction } from './transaction.js';

/** The catalog answers in a moment, unless somebody holds a lock on it. */
const lookSeconds = 20;

/** Of these the connection or the server is to blame; everything else is about the query. */
const isAboutQuery = (error: unknown): error is pg.DatabaseError =>
  error instanceof pg.DatabaseError && !/^(08|28|3D000|53|57P)/.test(error.code ?? '');

const refused = ({ code, message, position }: pg.DatabaseError, seconds: number): QueryAnswer => {
  if (code === '57014') return tooLong(seconds);
  const place = placeIn(position);
  return { ok: false, message, ...(place === undefined ? {} : { position: place }) };
};

const tooLong = (seconds: number): QueryAnswer => ({
  ok: false,
  message: `The query took longer than ${seconds} s and was ended.`,
});

export const makeBrowser = (config: PostgresConfig, deps: OpenDeps): Browser => {
  const defaultSchema = config.schema ?? 'public';

  const look = <T>(
    ctx: CallContext,
    work: (client: pg.Client) => Promise<T>,
    seconds = lookSeconds,
  ): Promise<T> => inTransaction(config, deps, ctx, work, beginLooking(seconds));

  const nameOf = ({ schema, table }: TableWanted): TableName => ({
    schema: schema ?? defaultSchema,
    table,
  });

  return {
    defaultSchema,
    schemas: (page, ctx) => look(ctx, (client) => listSchemas(client, page)),
    tables: (schema, page, ctx) =>
      look(ctx, (client) => listTables(client, schema ?? defaultSchema, page)),
    columns: (wanted, ctx) => look(ctx, (client) => listColumns(client, nameOf(wanted))),
    catalogs: (page, ctx) => look(ctx, (client) => listCatalogs(client, page)),

    preview: (wanted, caps, ctx) =>
      look(
        ctx,
        async (client) => {
          const name = nameOf(wanted);
          if (!(await hasTable(client, name))) return undefined;
          return (await showRows(client, `select * from ${quoteTable(name)}`, caps)).rows;
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
          async (client): Promise<QueryAnswer> => {
            try {
              const { rows, scanned } = await showRows(client, sql, caps);
              const executionMs = Math.round(performance.now() - started);
              return { ok: true, rows, rowsScanned: scanned, executionMs };
            } catch (error) {
              signal.throwIfAborted();
              if (isAboutQuery(error)) return refused(error, caps.seconds);
              throw classify(error, deps.role);
            }
          },
          caps.seconds,
        );
      } catch (error) {
        ctx.signal.throwIfAborted();
        if (deadline.aborted) return tooLong(caps.seconds);
        throw error;
      }
    },
  };
};
