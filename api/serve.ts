import { makeAnswerer } from './answer.js';
import type { WireAnswer } from './answer.js';
import { requireScope } from './auth.js';
import type { Authenticator } from './auth.js';
import { Exchange, HandlerContext } from './context.js';
import type { Caller } from './context.js';
import type { ApiContext } from './exchangeState.js';
import { claimOf } from './idempotency.js';
import { makeInputReader } from './input.js';
import type { ReadInput } from './input.js';
import type { ApiPorts } from './ports.js';
import type { Route } from './route.js';
import { isUuid } from './validate.js';
import type { Checks } from './validate.js';
import { auditRefusal, makeWriter } from './write.js';

export interface ServeDeps {
  ports: ApiPorts;
  authenticator: Authenticator;
  checks: Checks;
  checkResponses: boolean;
}

const matchesTag = (header: string, tag: string): boolean =>
  header === '*' || header.split(',').some((one) => one.trim().replace(/^W\//, '') === tag);

const send = (koa: ApiContext, { status, headers, body }: WireAnswer): void => {
  const tag = headers['ETag'];
  const known = koa.req.headers['if-none-match'];
  const unchanged =
    tag !== undefined && known !== undefined && koa.req.method === 'GET' && matchesTag(known, tag);
  koa.status = unchanged ? 304 : status;
  koa.set(headers);
  if (body === undefined || unchanged) {
    // Koa turns null into 204, whatever status was set.
    koa.body = koa.status === 204 || koa.status === 304 ? null : '';
    return;
  }
  koa.body = body;
  // Half a file must not look like a whole one.
  if (typeof body === 'object' && 'pipe' in body) body.once('error', () => koa.res.destroy());
};

const subjectInPath = (captures: readonly string[]): string | undefined => {
  const last = captures.at(-1);
  return last !== undefined && isUuid(last) ? last : undefined;
};

/** Everything between the router and a handler, put together once per route. */
export const makeServe = (route: Route, deps: ServeDeps) => {
  const { ports, authenticator, checks, checkResponses } = deps;
  const readInput = makeInputReader(route, checks);
  const answer = makeAnswerer(route, checks, checkResponses);
  const write = route.mode === 'write' ? makeWriter(route, answer) : undefined;

  const perform = async (
    koa: ApiContext,
    exchange: Exchange,
    caller: Caller | undefined,
    read: ReadInput,
  ): Promise<WireAnswer> => {
    const context = new HandlerContext(exchange, caller, ports.repos);
    if (!write) {
      const facts = route.prepare && (await route.prepare(read.input, context));
      return answer(await route.handler(read.input, context, facts), read.page);
    }
    const header = route.creates ? koa.req.headers['idempotency-key'] : undefined;
    const claim =
      caller &&
      claimOf({
        principal: caller.principal,
        route: route.name,
        header: Array.isArray(header) ? header.join() : header,
        method: koa.method,
        url: koa.url,
        bytes: read.bytes,
      });
    return write({ exchange, context, caller, read, claim });
  };

  return async (koa: ApiContext): Promise<void> => {
    koa.state.routeName = route.name;
    if (route.oauthErrors) koa.state.shape = 'oauth';
    const captures = koa.captures ?? [];
    const { requestId, address } = koa.state;
    const exchange = new Exchange(ports, requestId, address, route.name, koa.res);
    const caller = route.scope && (await authenticator.authenticate(koa.req.headers.authorization));
    try {
      if (caller) requireScope(caller, route.scope);
      const raw = { message: koa.req, captures, queryString: koa.querystring };
      const read = await readInput(raw, caller?.scope.workspaceId ?? '');
      send(koa, await perform(koa, exchange, caller, read));
    } catch (error) {
      if (write && caller) await auditRefusal(exchange, caller, error, subjectInPath(captures));
      throw error;
    }
  };
};
