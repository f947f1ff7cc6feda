import type { ErrorCode } from '../../core/errors.js';

/** What can go wrong with the user's own system while somebody waits for it. */
export const liveErrors = [
  'connection_failed',
  'connection_timeout',
  'egress_denied',
  'platform_database_refused',
] as const satisfies readonly ErrorCode[];

/** And with what is asked of a connection that is named. */
export const askErrors = [...liveErrors, 'capability_missing', 'not_found'] as const;
