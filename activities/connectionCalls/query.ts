import type { LiveCalls, RunQueryAnswer } from '../../core/live.js';
import type { WorkspaceScope } from '../../core/scope.js';
import type { QueryAnswer } from '../../connectors/browser.js';
import type { ActivityDeps } from '../deps.js';
import { capsOf } from './caps.js';
import { fitRows } from './fit.js';
import { readQuery, refusedQuery } from './readOnly.js';
import { serializeSql } from './serializeSql.js';
import { findShadow } from './shadows.js';
import { incapable, withConnector } from './withConnector.js';

const shown = (answer: QueryAnswer): RunQueryAnswer => {
  if (!answer.ok) {
    const { message, position } = answer;
    return { outcome: 'failed', message, ...(position === undefined ? {} : { position }) };
  }
  const { rows, rowsScanned, executionMs } = answer;
  return { outcome: 'rows', rows: fitRows(rows), rowsScanned, executionMs };
};

/** Reads the query before anybody runs it. */
export const runQuery = async (
  deps: ActivityDeps,
  scope: WorkspaceScope,
  { connectionId, dialect, sql, rows }: LiveCalls['runQuery']['asks'],
  signal: AbortSignal,
): Promise<LiveCalls['runQuery']['answers']> => {
  const read = await readQuery(dialect, sql, (text) => serializeSql(deps, text, signal));
  if ('refused' in read) return { outcome: 'refused', issues: [read.refused] };
  return withConnector(deps, scope, connectionId, signal, async ({ browser }, ctx) => {
    if (!browser?.query) throw incapable('queries');
    const shadow = await findShadow(browser, read.names, ctx);
    if (shadow !== undefined) {
      const { refused } = refusedQuery(
        `Refused: ${shadow} has a name of PostgreSQL's own, and may be what is called. ` +
          'Write the built-in one with its schema, pg_catalog.',
      );
      return { outcome: 'refused', issues: [refused] };
    }
    return shown(await browser.query(sql, capsOf(rows), ctx));
  });
};
