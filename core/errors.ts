/**
 * Every error code of the product, once. The comment on a code is its public documentation.
 * HTTP statuses live beside the codes, so that no caller ever derives one from a message.
 */
export const errorCodes = {
  /** The request is not what the route accepts; `errors` names each place. */
  validation_failed: 400,
  /** The body is not JSON (or not the announced encoding). */
  malformed_body: 400,
  /** A cursor that this route did not hand out for these filters. */
  invalid_cursor: 400,
  /** A body or query names something that does not exist in this workspace. */
  reference_not_found: 400,
  /** The pipeline's graph cannot be run as it is; `errors` names each node or edge. */
  invalid_graph: 400,
  /** The address is not one that connections may reach from here; an operator can allow it. */
  egress_denied: 400,
  /** The address is that of our own database, which no connection may use. */
  platform_database_refused: 400,
  /** No token, or one that is unknown, expired or revoked. */
  unauthenticated: 401,
  /** The token lacks the scope named in the detail. */
  insufficient_scope: 403,
  /** The workspace's quota for this resource is used up. */
  quota_exceeded: 403,
  /** No such thing in this workspace. */
  not_found: 404,
  /** No such route. */
  route_not_found: 404,
  /** The route exists, but not for this method; see `Allow`. */
  method_not_allowed: 405,
  /** Something else still uses it; `details.references` names up to 20 users. */
  in_use: 409,
  /** The name is taken. */
  duplicate: 409,
  /** The thing is not in a state that allows this. */
  wrong_state: 409,
  /** The run has already ended. */
  run_finished: 409,
  /** A request with the same Idempotency-Key is still running. */
  idempotency_in_progress: 409,
  /** The body is larger than the route accepts. */
  body_too_large: 413,
  /** The body's content type is not one the route accepts. */
  unsupported_media_type: 415,
  /** The Idempotency-Key was used before with another body. */
  idempotency_mismatch: 422,
  /** A connection of this type cannot do that; the detail names what it lacks. */
  capability_missing: 422,
  /** An error of ours; the request id finds it in the logs. */
  internal: 500,
  /** The user's own system could not be reached or refused us; `details.reason` says why. */
  connection_failed: 502,
  /** A part of Fluxline is not there right now; retry after a moment. */
  unavailable: 503,
  /** No worker serves the queue this needs. */
  no_worker: 503,
  /** The user's own system did not answer in time. */
  connection_timeout: 504,
} as const;

export type ErrorCode = keyof typeof errorCodes;

/** One place in the request (JSON pointer into path, query or body) and what is wrong there. */
export interface Issue {
  pointer: string;
  code: string;
  message: string;
}

export interface ErrorDetails {
  errors?: readonly Issue[];
  references?: readonly unknown[];
  retryAfterSeconds?: number;
  [key: string]: unknown;
}

export class AppError extends Error {
  override readonly name = 'AppError';

  constructor(
    readonly code: ErrorCode,
    message: string,
    readonly details: ErrorDetails = {},
  ) {
    super(message);
  }

  get status(): number {
    return errorCodes[this.code];
  }
}

export const notFound = (): AppError => new AppError('not_found', 'No such resource.');

/** A request that names something of this workspace that is not there. */
export const referenceNotFound = (pointer: string, what: string): AppError =>
  new AppError('reference_not_found', `There is no such ${what}.`, {
    errors: [{ pointer, code: 'reference_not_found', message: `There is no such ${what}.` }],
  });

export const invalid = (pointer: string, message: string, code = 'invalid'): AppError =>
  new AppError('validation_failed', message, { errors: [{ pointer, code, message }] });
