import { createHash } from 'node:crypto';
import { AppError, invalid } from '../core/errors.js';
import type { Principal } from '../core/scope.js';
import type { ClaimResult, IdempotencyClaim } from '../db/repos/idempotency.js';
import type { WireAnswer } from './answer.js';
import type { Secrets } from './ports.js';

const wellFormed = /^[\x21-\x7e]{1,255}$/;

type Done = Extract<ClaimResult, { state: 'done' }>;

/** What a key stands for: a repeat must send the same bytes to the same place. */
export interface KeyedRequest {
  principal: Principal;
  route: string;
  header: string | undefined;
  method: string;
  url: string;
  bytes: Buffer;
}

/** The claim of a request that carries an Idempotency-Key; undefined without one. */
export const claimOf = (request: KeyedRequest): IdempotencyClaim | undefined => {
  const { header, principal, route } = request;
  if (header === undefined) return undefined;
  if (!wellFormed.test(header)) {
    throw invalid('/idempotency-key', 'Must be 1 to 255 visible ASCII characters.', 'format');
  }
  const bodyHash = createHash('sha256')
    .update(`${request.method} ${request.url}\n`)
    .update(request.bytes)
    .digest('hex');
  return { principal, route, key: header, bodyHash };
};

const placeOf = ({ principal, route, key }: IdempotencyClaim) => ({
  table: 'idempotency_keys',
  row: `${principal.workspaceId}/${principal.userId}/${route}/${key}`,
  field: 'answer',
});

/** Answers may hold secrets that are shown once, so they are kept sealed. */
export const sealAnswer = (
  secrets: Secrets,
  claim: IdempotencyClaim,
  { headers, body }: WireAnswer,
): string => secrets.seal(JSON.stringify({ headers, body }), placeOf(claim));

export const isKept = ({ status }: WireAnswer): boolean => status >= 200 && status < 300;

/** The answer that the first request with this key got. */
export const replay = (secrets: Secrets, claim: IdempotencyClaim, done: Done): WireAnswer => {
  if (!done.sameBody) {
    throw new AppError(
      'idempotency_mismatch',
      'This Idempotency-Key was used before with another request.',
    );
  }
  const kept = JSON.parse(secrets.open(done.sealed, placeOf(claim))) as {
    headers: Record<string, string>;
    body?: string;
  };
  return {
    status: done.status,
    headers: { ...kept.headers, 'Idempotency-Replayed': 'true' },
    body: kept.body,
  };
};
