import { errorCodes } from '../core/errors.js';
import type { ErrorCode } from '../core/errors.js';
import type { RouteFacts } from './route.js';

/** What the framework itself can answer, given what a route declares. */
const frameworkErrors = (route: RouteFacts): ErrorCode[] => {
  const codes: ErrorCode[] = ['validation_failed', 'internal', 'unavailable'];
  if (route.scope) codes.push('unauthenticated', 'insufficient_scope');
  if (route.page) codes.push('invalid_cursor');
  if (route.path.includes('{')) codes.push('not_found');
  codes.push('malformed_body', 'body_too_large');
  if (route.bodyKind !== 'raw') codes.push('unsupported_media_type');
  if (route.creates) codes.push('idempotency_in_progress', 'idempotency_mismatch');
  if (route.mode === 'live') codes.push('no_worker');
  return codes;
};

/** Every error a route can answer, by status: the documentation's list, and the fuzz test's. */
export const errorsByStatus = (route: RouteFacts): ReadonlyMap<number, readonly ErrorCode[]> => {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of new Set([...frameworkErrors(route), ...(route.errors ?? [])])) {
    const status = errorCodes[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return new Map([...byStatus].sort(([one], [other]) => one - other));
};
