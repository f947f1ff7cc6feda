import { RunFailure } from '../../core/failures.js';
import type { BulkRead, CallContext, OpenDeps } from '../connector.js';
import { classify } from './classify.js';
import { describe, exactSql } from './describe.js';
import { exportRows } from './exportRows.js';
import type { ExportedRows } from './exportRows.js';
import type { MysqlConfig } from './manifest.js';
import { openSession } from './session.js';
import type { Session } from './session.js';
import { selectSql } from './sourceQuery.js';
import type { Selection } from './sourceQuery.js';
import type { MysqlRange } from './splits.js';

/** A transaction that can only read, and sees one state. */
export const beginReading = async (session: Session): Promise<void> => {
  await session.run('set transaction isolation level repeatable read');
  await session.run('start transaction read only');
};

const refuseChange = (signature: string, range: MysqlRange): void => {
  if (signature === range.signature) return;
  throw new RunFailure({
    code: 'schema_drift',
    class: 'schema',
    message: 'The columns of the source have changed since the run began: start it again.',
  });
};

/** Values that did not fit a packet, rows that were not looked at any more, an end before the end. */
const cutShort: ReadonlySet<string> = new Set(['1301', '1317', '1931', '1969', '3024']);

/** Some limits of a server end a query with a remark, as if there were no more rows. */
const refuseCut = async (session: Session, rows: ExportedRows): Promise<void> => {
  if (rows.warnings() === 0) return;
  const remarks = await session.rows('show warnings');
  const cut = remarks.find(({ Code }) => cutShort.has(Code ?? ''));
  if (!cut) return;
  throw new RunFailure({
    code: 'count_mismatch',
    class: 'config',
    message: `The server did not send all there is, for a limit of its own: remove the limit from the query or the user. [${cut['Code'] ?? ''}]`,
  });
};

/** One split as the server sends it, on a connection of its own. */
export const readRange = (
  config: MysqlConfig,
  deps: OpenDeps,
  selection: Selection,
  range: MysqlRange,
  ctx: CallContext,
): BulkRead => {
  let rows: ExportedRows | undefined;

  async function* chunks(): AsyncGenerator<Buffer> {
    const session = await openSession(config, deps, ctx);
    ctx.signal.addEventListener('abort', session.cut, { once: true });
    try {
      ctx.signal.throwIfAborted();
      await beginReading(session);
      const sql = selectSql(selection, config.database, range.range);
      const shape = await describe(session, sql);
      refuseChange(shape.signature, range);
      rows = exportRows(session, exactSql(sql, shape), shape.kinds, deps.maxRowBytes);
      yield* rows.chunks;
      await refuseCut(session, rows);
      await session.run('commit');
    } catch (error) {
      ctx.signal.throwIfAborted();
      throw classify(error, deps.role);
    } finally {
      ctx.signal.removeEventListener('abort', session.cut);
      // Whoever stops taking rows does not want the rest of them.
      if (rows?.isRunning()) session.cut();
      await session.close();
    }
  }

  return {
    format: 'csv',
    columns: range.columns,
    chunks: chunks(),
    counts: () => rows?.counts() ?? { rows: 0, bytes: 0 },
    rejected: () => rows?.rejected() ?? [],
  };
};
