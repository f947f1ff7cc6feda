import type pg from 'pg';
import type { BulkFormat, BulkRead, CallContext, OpenDeps, ReadOptions } from '../connector.js';
import { RunFailure } from '../../core/failures.js';
import { classify } from './classify.js';
import { copyOut } from './copyOut.js';
import type { CopyOut } from './copyOut.js';
import { fieldsOf } from './describe.js';
import type { PostgresConfig } from './manifest.js';
import { quoteName } from './quote.js';
import { beginReading, joinSnapshot, snapshotLost } from './reading.js';
import { areUnmoved } from './relation.js';
import { openSession } from './session.js';
import { selectSql, tableNameOf } from './sourceQuery.js';
import { isTable } from '../tableNodes.js';
import type { Selection } from './sourceQuery.js';
import type { PostgresRange } from './splits.js';

const copyOptions: Readonly<Record<BulkFormat, string>> = {
  csv: 'format csv',
  'postgres-binary': 'format binary',
};

const rangeSql = (selection: Selection, range: PostgresRange, defaultSchema: string): string => {
  const columns = range.columns.map(({ name }) => name);
  if (range.kind === 'pages') {
    return range.pages
      .map((pages) => selectSql(selection, { columns, pages }, defaultSchema))
      .join(' union all ');
  }
  const part = range.kind === 'keys' ? { keys: range } : {};
  return selectSql(selection, { columns, ...part }, defaultSchema);
};

/** Blanks at the end of a padded value are no part of it, and only PostgreSQL knows that. */
const textualSql = (sql: string, { columns, padded }: PostgresRange): string => {
  if (padded.length === 0) return sql;
  const list = columns.map(({ name }) =>
    padded.includes(name) ? `${quoteName(name)}::text` : quoteName(name),
  );
  return `select ${list.join(', ')} from (${sql}) as fluxline_rows`;
};

const refuseChange = (signature: string, range: PostgresRange): void => {
  if (signature === range.signature) return;
  throw new RunFailure({
    code: 'schema_drift',
    class: 'schema',
    message: 'The columns of the source have changed since the run began: start it again.',
  });
};

/** The query holds its locks from here on: what is checked now stays so until it is read. */
const refuseMoved = async (
  client: pg.Client,
  { config }: Selection,
  range: PostgresRange,
  defaultSchema: string,
): Promise<void> => {
  if (!isTable(config)) return;
  const names = range.kind === 'pages' ? range.pages : [tableNameOf(config, defaultSchema)];
  if (!(await areUnmoved(client, names))) throw snapshotLost();
};

/** One split as the server sends it, on a connection and in a transaction of its own. */
export const readRange = (
  config: PostgresConfig,
  deps: OpenDeps,
  selection: Selection,
  range: PostgresRange,
  { format, snapshot }: ReadOptions,
  ctx: CallContext,
): BulkRead => {
  const defaultSchema = config.schema ?? 'public';
  let copy: CopyOut | undefined;

  const begin = async (client: pg.Client): Promise<CopyOut> => {
    await client.query(beginReading);
    if (snapshot !== undefined) await joinSnapshot(client, snapshot);
    const sql = rangeSql(selection, range, defaultSchema);
    refuseChange((await fieldsOf(client, sql)).signature, range);
    if (snapshot !== undefined) await refuseMoved(client, selection, range, defaultSchema);
    const rows = format === 'csv' ? textualSql(sql, range) : sql;
    return copyOut(client, `copy (${rows}) to stdout (${copyOptions[format]})`, {
      format,
      maxRowBytes: deps.maxRowBytes,
    });
  };

  async function* chunks(): AsyncGenerator<Buffer> {
    const { client, cut, close } = await openSession(config, deps, ctx);
    ctx.signal.addEventListener('abort', cut, { once: true });
    try {
      ctx.signal.throwIfAborted();
      copy = await begin(client);
      yield* copy.chunks;
      await client.query('commit');
    } catch (error) {
      ctx.signal.throwIfAborted();
      throw classify(error, deps.role);
    } finally {
      ctx.signal.removeEventListener('abort', cut);
      // Whoever stops taking rows does not want the rest of them.
      if (copy?.isRunning()) cut();
      await close();
    }
  }

  return {
    format,
    columns: range.columns,
    chunks: chunks(),
    counts: () => copy?.counts() ?? { rows: 0, bytes: 0 },
    rejected: () => copy?.rejected() ?? [],
  };
};
