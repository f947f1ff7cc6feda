import Koa from 'koa';
import type { Authenticator } from './auth.js';
import { mountDocs } from './docs.js';
import { answerErrors, identify, observe } from './edge.js';
import type { ApiState } from './exchangeState.js';
import { makeMetrics } from './metrics.js';
import { mountTables, refuseUnmatched } from './mount.js';
import { openApiDocument } from './openapi/document.js';
import { mountOperations } from './operations.js';
import type { ApiPorts } from './ports.js';
import type { RouteTable } from './route.js';
import { makeChecks } from './validate.js';

export interface ApiDeps {
  tables: readonly RouteTable[];
  ports: ApiPorts;
  /** Made outside: whoever listens for changed keys evicts them from it. */
  authenticator: Authenticator;
  /** Before `/api`; empty, or `/v1` and the like. */
  basePrefix: string;
  version: string;
  /** Tests only: an answer that its schema does not describe becomes an internal error. */
  checkResponses?: boolean;
}

const baseForm = /^(?:\/[A-Za-z0-9._-]+)*$/;

/** The whole HTTP side, not listening yet. Middlewares run in the order they stand here. */
export const makeApi = (deps: ApiDeps): Koa<ApiState> => {
  const { tables, ports, authenticator, basePrefix, version } = deps;
  if (!baseForm.test(basePrefix)) throw new Error(`"${basePrefix}" cannot stand before /api.`);
  const log = ports.log.child({ part: 'api' });
  const metrics = makeMetrics();

  const router = mountTables(tables, basePrefix, {
    ports,
    authenticator,
    checks: makeChecks(),
    checkResponses: deps.checkResponses ?? false,
  });
  mountOperations(router, {
    readiness: ports.readiness,
    metrics,
    document: JSON.stringify(openApiDocument(tables, { version, basePrefix })),
  });
  mountDocs(router);

  const app = new Koa<ApiState>();
  app.use(identify(basePrefix));
  app.use(observe(metrics, log));
  app.use(answerErrors(metrics, log));
  app.use(router.routes());
  app.use(refuseUnmatched);
  // What fails after the first byte was sent cannot be answered any more.
  app.on('error', (error: unknown) => log.warn({ err: error }, 'an answer was cut off'));
  return app;
};
