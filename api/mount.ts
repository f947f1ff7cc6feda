import Router from '@koa/router';
import { AppError } from '../core/errors.js';
import { byPrecedence, findTableProblems } from './bootChecks.js';
import type { ApiContext, ApiState } from './exchangeState.js';
import { mountedPath } from './family.js';
import type { RouteTable } from './route.js';
import { makeServe } from './serve.js';
import type { ServeDeps } from './serve.js';

/** Mistakes in the tables are found when the process starts, not when a route is first called. */
class TableError extends Error {
  override readonly name = 'TableError';

  constructor(problems: readonly string[]) {
    super(`The route tables are wrong:\n${problems.join('\n')}`);
  }
}

/** Tables to router; validators, envelopes and handlers are put together here, once. */
export const mountTables = (
  tables: readonly RouteTable[],
  basePrefix: string,
  deps: ServeDeps,
): Router<ApiState> => {
  const routes = tables.flatMap((table) => table.routes);
  const problems = findTableProblems(routes);
  if (problems.length > 0) throw new TableError(problems);

  const router = new Router<ApiState>({ strict: true, sensitive: true });
  for (const route of [...routes].sort(byPrecedence)) {
    const path = mountedPath(route.path, basePrefix).replace(/\{([^{}]+)\}/g, ':$1');
    router.register(path, [route.method], makeServe(route, deps));
  }
  return router;
};

/** After the router: the path exists for other methods, or not at all. */
export const refuseUnmatched = (koa: ApiContext & { matched?: { methods: string[] }[] }): void => {
  const methods = new Set(koa.matched?.flatMap((layer) => layer.methods));
  if (methods.size === 0) throw new AppError('route_not_found', 'There is no such route.');
  const allow = [...methods].sort().join(', ');
  throw new AppError('method_not_allowed', `This route answers to ${allow}.`, { allow });
};
