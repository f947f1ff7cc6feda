import type Router from '@koa/router';
import { jsonType } from './answer.js';
import type { ApiContext, ApiState } from './exchangeState.js';
import type { ApiMetrics } from './metrics.js';
import type { Readiness } from './ports.js';

export interface OperationsDeps {
  readiness: () => Promise<Readiness>;
  metrics: ApiMetrics;
  document: string;
}

const retrySeconds = '2';

const named = (koa: ApiContext, name: string, body: unknown): void => {
  koa.state.routeName = name;
  koa.set('Content-Type', jsonType);
  koa.body = typeof body === 'string' ? body : JSON.stringify(body);
};

/** What operators and tools ask: no token, no envelope, at the root whatever the base prefix. */
export const mountOperations = (
  router: Router<ApiState>,
  { readiness, metrics, document }: OperationsDeps,
): void => {
  router.get('/healthz', (koa) => named(koa, 'healthz', { status: 'ok' }));

  router.get('/readyz', async (koa) => {
    const { ready, missing } = await readiness();
    if (!ready) {
      koa.status = 503;
      koa.set('Retry-After', retrySeconds);
    }
    named(koa, 'readyz', { ready, missing });
  });

  router.get('/metrics', async (koa) => {
    const text = await metrics.registry.metrics();
    koa.state.routeName = 'metrics';
    koa.set('Content-Type', metrics.registry.contentType);
    koa.body = text;
  });

  router.get('/openapi.json', (koa) => named(koa, 'openapi', document));
};
