import type { LiveCalls } from '../../core/live.js';
import type { WorkspaceScope } from '../../core/scope.js';
import { previewDocuments } from '../../engine/documents/preview.js';
import { previewFiles } from '../../engine/files/preview.js';
import type { ActivityDeps } from '../deps.js';
import { capsOf } from './caps.js';
import { fitRows } from './fit.js';
import { incapable, withConnector } from './withConnector.js';

/** Some rows of a table, a topic, a path or files, whatever the connection has. */
export const preview = (
  deps: ActivityDeps,
  scope: WorkspaceScope,
  { connectionId, schema, object, kind, rows }: LiveCalls['preview']['asks'],
  signal: AbortSignal,
): Promise<LiveCalls['preview']['answers']> =>
  withConnector(deps, scope, connectionId, signal, async (connector, ctx) => {
    const { browser, store, documents } = connector;
    if (browser?.preview) {
      const wanted = { table: object, ...(schema === undefined ? {} : { schema }) };
      const found = await browser.preview(wanted, capsOf(rows), ctx);
      return found ? fitRows(found) : null;
    }
    if (store) {
      const found = await previewFiles({ ...deps.engine, store }, { path: object }, rows, ctx);
      return found ? fitRows(found) : null;
    }
    if (!documents?.source) throw incapable('preview');
    const request = { config: { [kind]: object } };
    return fitRows(await previewDocuments(documents.source, deps.engine, request, rows, ctx));
  });
