import type { ConnectReason } from './connecting.js';

/**
 * Why a run did not succeed, in words a user can act on. A failure is data: connectors classify
 * their driver's errors into it, activities carry it over Temporal, the run stores it.
 */
export const failureClasses = [
  'config',
  'auth',
  'schema',
  'contract',
  'rate_limit',
  'transient',
  'internal',
] as const;
export type FailureClass = (typeof failureClasses)[number];

/** The taxonomy of a run's `error.code`. */
export const failureCodes = [
  'config_invalid',
  'auth_failed',
  'source_unreachable',
  'source_timeout',
  'source_permission_denied',
  'schema_drift',
  'expression_error',
  'destination_constraint_violation',
  'destination_unreachable',
  'destination_permission_denied',
  'duplicate_key',
  'row_too_large',
  'malformed_row',
  'snapshot_lost',
  'contract_violation',
  'resource_exhausted',
  'platform_database_refused',
  'egress_denied',
  'count_mismatch',
  'content_mismatch',
  'workflow_lost',
  'canceled',
  'internal',
] as const;
export type FailureCode = (typeof failureCodes)[number];

export interface Failure {
  code: FailureCode;
  class: FailureClass;
  /** What happened, and what to do about it. Never driver text with values or secrets in it. */
  message: string;
  nodeId?: string;
  /** More exactly, where a connection did not come about. */
  reason?: ConnectReason;
}

const retryableClasses: ReadonlySet<FailureClass> = new Set(['rate_limit', 'transient']);

export const isRetryable = (failure: Failure): boolean => retryableClasses.has(failure.class);

/** Thrown by engine and connectors; `activities/failure` turns it into Temporal's form. */
export class RunFailure extends Error {
  override readonly name = 'RunFailure';

  constructor(
    readonly failure: Failure,
    options?: ErrorOptions,
  ) {
    super(failure.message, options);
  }
}
