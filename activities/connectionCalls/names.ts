import type { LiveCalls } from '../../core/live.js';
import type { WorkspaceScope } from '../../core/scope.js';
import type { ActivityDeps } from '../deps.js';
import { fitPage, withShortComment } from './fit.js';
import { incapable, withConnector } from './withConnector.js';

type Calls<Name extends keyof LiveCalls> = (
  deps: ActivityDeps,
  scope: WorkspaceScope,
  question: LiveCalls[Name]['asks'],
  signal: AbortSignal,
) => Promise<LiveCalls[Name]['answers']>;

export const listSchemas: Calls<'listSchemas'> = (deps, scope, { connectionId, page }, signal) =>
  withConnector(deps, scope, connectionId, signal, async ({ browser }, ctx) => {
    if (!browser?.schemas) throw incapable('schemas');
    return fitPage(await browser.schemas(page, ctx));
  });

export const listTables: Calls<'listTables'> = (
  deps,
  scope,
  { connectionId, schema, page },
  signal,
) =>
  withConnector(deps, scope, connectionId, signal, async ({ browser }, ctx) => {
    if (!browser?.tables) throw incapable('tables');
    const found = await browser.tables(schema, page, ctx);
    if (!found) return null;
    const { items, next } = found;
    const fitted = fitPage({ items: items.map(withShortComment), next });
    return { schema: schema ?? browser.defaultSchema, ...fitted };
  });

export const listColumns: Calls<'listColumns'> = (
  deps,
  scope,
  { connectionId, schema, table },
  signal,
) =>
  withConnector(deps, scope, connectionId, signal, async ({ browser }, ctx) => {
    if (!browser?.columns) throw incapable('tables');
    const wanted = schema === undefined ? { table } : { schema, table };
    const columns = await browser.columns(wanted, ctx);
    return columns
      ? { schema: schema ?? browser.defaultSchema, columns: columns.map(withShortComment) }
      : null;
  });

export const listCatalogs: Calls<'listCatalogs'> = (deps, scope, { connectionId, page }, signal) =>
  withConnector(deps, scope, connectionId, signal, async ({ browser }, ctx) => {
    if (!browser?.catalogs) throw incapable('catalogs');
    return fitPage(await browser.catalogs(page, ctx));
  });
