import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Logger } from 'pino';
import { ClientGone } from './body.js';
import { renderError, toAppError } from './errors.js';
import type { ApiContext, Next } from './exchangeState.js';
import { errorShapeOf } from './family.js';
import { addressClass } from './metrics.js';
import type { ApiMetrics } from './metrics.js';

const requestIdForm = /^[A-Za-z0-9._:-]{1,128}$/;

/** Answers are for their caller alone, and nothing in them is to be run or framed. */
const securityHeaders = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
} as const;

const requestIdOf = ({ headers }: IncomingMessage): string => {
  const given = headers['x-request-id'];
  return typeof given === 'string' && requestIdForm.test(given) ? given : randomUUID();
};

/** Every answer carries these, refusals included. */
export const identify =
  (basePrefix: string) =>
  async (koa: ApiContext, next: Next): Promise<void> => {
    const { state } = koa;
    state.requestId = requestIdOf(koa.req);
    state.address = (koa.req.socket.remoteAddress ?? '').replace(/^::ffff:/, '');
    state.shape = errorShapeOf(koa.path, basePrefix);
    state.routeName = 'unmatched';
    koa.set(securityHeaders);
    koa.set('X-Request-Id', state.requestId);
    await next();
  };

/** Counted like a status, never sent. */
const clientGone = 499;

export const observe =
  ({ inFlight, duration }: ApiMetrics, log: Logger) =>
  async (koa: ApiContext, next: Next): Promise<void> => {
    const started = performance.now();
    inFlight.inc();
    try {
      await next();
    } finally {
      inFlight.dec();
      const milliseconds = performance.now() - started;
      const { requestId, routeName: route } = koa.state;
      const status = koa.respond === false ? clientGone : koa.status;
      duration.observe({ route, status }, milliseconds / 1_000);
      if (log.isLevelEnabled('debug')) {
        log.debug({ requestId, route, status, milliseconds }, 'answered');
      }
    }
  };

/** The one place where an error becomes an answer. */
export const answerErrors =
  (metrics: ApiMetrics, log: Logger) =>
  async (koa: ApiContext, next: Next): Promise<void> => {
    try {
      await next();
    } catch (thrown) {
      const { requestId, routeName, shape, address } = koa.state;
      if (thrown instanceof ClientGone) {
        // Nobody listens any more; what is left is to let go of the socket.
        log.debug({ requestId, route: routeName }, 'client gone');
        koa.respond = false;
        koa.res.destroy();
        return;
      }
      const error = toAppError(thrown);
      const reason = error.details['authFailure'];
      if (typeof reason === 'string') {
        metrics.authFailures.inc({ reason, address_class: addressClass(address) });
      }
      if (error.code === 'internal') {
        log.error({ err: thrown, requestId, route: routeName }, 'internal error');
      }
      const { status, headers, body } = renderError(error, { shape, path: koa.path, requestId });
      koa.status = status;
      koa.set(headers);
      koa.body = body;
    }
  };
