import { AppError } from './errors.js';
import type { ErrorCode } from './errors.js';
import type { Failure, FailureCode } from './failures.js';

/**
 * What a failure of a call that somebody waits for is over HTTP: their system (502, 504), what they
 * asked for (400, 404), or us.
 */
const codes: Readonly<Record<FailureCode, ErrorCode>> = {
  auth_failed: 'connection_failed',
  source_unreachable: 'connection_failed',
  source_permission_denied: 'connection_failed',
  destination_unreachable: 'connection_failed',
  destination_permission_denied: 'connection_failed',
  source_timeout: 'connection_timeout',
  egress_denied: 'egress_denied',
  platform_database_refused: 'platform_database_refused',
  // Of a connection that cannot be made it carries a reason; without one it is about the question.
  config_invalid: 'validation_failed',
  resource_exhausted: 'validation_failed',
  expression_error: 'validation_failed',
  malformed_row: 'validation_failed',
  row_too_large: 'validation_failed',
  contract_violation: 'validation_failed',
  destination_constraint_violation: 'validation_failed',
  duplicate_key: 'validation_failed',
  schema_drift: 'not_found',
  snapshot_lost: 'connection_failed',
  count_mismatch: 'internal',
  content_mismatch: 'internal',
  workflow_lost: 'unavailable',
  canceled: 'unavailable',
  internal: 'internal',
};

const codeOf = ({ code, reason }: Failure): ErrorCode => {
  if (reason === 'connect_timeout') return 'connection_timeout';
  return reason === undefined ? codes[code] : 'connection_failed';
};

/** Says more exactly what is wrong: one word for a problem, whatever the system is. */
export const reasonOf = ({ code, reason }: Failure): string => reason ?? code;

export const liveFailure = (failure: Failure): AppError => {
  const code = codeOf(failure);
  const errors =
    code === 'validation_failed'
      ? { errors: [{ pointer: '', code: failure.code, message: failure.message }] }
      : {};
  return new AppError(code, failure.message, { reason: reasonOf(failure), ...errors });
};
