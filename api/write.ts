import { AppError } from '../core/errors.js';
import type { ClaimResult, IdempotencyClaim } from '../db/repos/idempotency.js';
import type { Repos } from '../db/repos/index.js';
import type { Answerer, WireAnswer } from './answer.js';
import type { Caller, Exchange, HandlerContext } from './context.js';
import { isKept, replay, sealAnswer } from './idempotency.js';
import type { ReadInput } from './input.js';
import { Reply } from './route.js';
import type { Route } from './route.js';

export interface WriteRequest {
  exchange: Exchange;
  context: HandlerContext;
  caller: Caller | undefined;
  read: ReadInput;
  claim: IdempotencyClaim | undefined;
}

const textField = (value: unknown, name: string): string | undefined => {
  if (typeof value !== 'object' || value === null) return undefined;
  const field = (value as Readonly<Record<string, unknown>>)[name];
  return typeof field === 'string' ? field : undefined;
};

/** What was written to: the thing the path names, else the one that was made. */
const subjectOf = (params: Readonly<Record<string, string>>, given: unknown): string | undefined =>
  Object.values(params).at(-1) ?? textField(given instanceof Reply ? given.value : given, 'id');

const auditEntry = (
  exchange: Exchange,
  { principal }: Caller,
  status: number,
  subjectId: string | undefined,
) => ({
  principal,
  action: exchange.routeName,
  status,
  ...(subjectId === undefined ? {} : { subjectId }),
  requestId: exchange.requestId,
  address: exchange.address,
});

/** Thrown only to undo a claim that was made to look whether there is one. */
class NothingYet extends Error {}

type Done = Extract<ClaimResult, { state: 'done' }>;

/**
 * Whether the key was answered before, without keeping the claim: `prepare` runs outside the
 * transaction, and a repeat must not be refused for what has changed since the first request.
 */
const answeredBefore = async (
  exchange: Exchange,
  claim: IdempotencyClaim,
): Promise<Done | undefined> => {
  try {
    const { value } = await exchange.ports.inTransaction(async (repos) => {
      const found = await repos.idempotency.claim(claim);
      if (found.state === 'new') throw new NothingYet();
      return found;
    });
    return value;
  } catch (error) {
    if (error instanceof NothingYet) return undefined;
    throw error;
  }
};

/**
 * One transaction for everything a write leaves: its claim on the key, the handler's rows and
 * events, the audit row, the answer to repeat. Jobs are started after it has committed, and nobody
 * waits for that: the dispatcher's loop sees the same rows.
 */
export const makeWriter = (route: Route, answer: Answerer) => {
  const perform = async (
    { exchange, context, caller, read, claim }: WriteRequest,
    repos: Repos,
    facts: unknown,
  ): Promise<WireAnswer> => {
    if (claim) {
      const found = await repos.idempotency.claim(claim);
      if (found.state === 'done') return replay(exchange.ports.secrets, claim, found);
    }
    const given = await route.handler(read.input, context.within(repos), facts);
    const wire = answer(given, read.page);
    if (caller) {
      const subject = subjectOf(read.input.params, given);
      await repos.audit.write(auditEntry(exchange, caller, wire.status, subject));
    }
    if (claim && isKept(wire)) {
      const sealed = sealAnswer(exchange.ports.secrets, claim, wire);
      await repos.idempotency.finish(claim, wire.status, sealed);
    }
    return wire;
  };

  return async (request: WriteRequest): Promise<WireAnswer> => {
    const { exchange, context, read, claim } = request;
    const { inTransaction, kick, secrets } = exchange.ports;
    if (route.prepare && claim) {
      const done = await answeredBefore(exchange, claim);
      if (done) return replay(secrets, claim, done);
    }
    const facts = route.prepare && (await route.prepare(read.input, context));
    const { value, touchedJobs } = await inTransaction((repos) => perform(request, repos, facts));
    if (touchedJobs.length > 0) kick(touchedJobs);
    return value;
  };
};

/** A refused write left nothing behind but this row, in a transaction of its own. */
export const auditRefusal = async (
  exchange: Exchange,
  caller: Caller,
  error: unknown,
  subjectId: string | undefined,
): Promise<void> => {
  if (!(error instanceof AppError) || error.status >= 500) return;
  const entry = auditEntry(exchange, caller, error.status, subjectId);
  try {
    await exchange.ports.repos.audit.write({ ...entry, code: error.code });
  } catch (failure) {
    exchange.log.error({ err: failure }, 'could not audit a refusal');
  }
};
