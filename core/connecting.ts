import { RunFailure } from './failures.js';
import type { Failure } from './failures.js';

/**
 * Why a connection to a user's system does not come about, or not any further: one word and one way
 * to mend it, whatever the system is.
 */
const reasons = {
  host_unknown: {
    kind: 'unreachable',
    class: 'transient',
    text: 'The host name is unknown: check its spelling, and that the workers can resolve it.',
  },
  connection_refused: {
    kind: 'unreachable',
    class: 'transient',
    text: 'Nothing listens at this address: check host and port, and that the system is running.',
  },
  network_unreachable: {
    kind: 'unreachable',
    class: 'transient',
    text: 'There is no way to this host: check routes and firewalls between it and the workers.',
  },
  connect_timeout: {
    kind: 'unreachable',
    class: 'transient',
    text: 'It did not answer in time: check host, port and firewalls.',
  },
  connection_lost: {
    kind: 'unreachable',
    class: 'transient',
    text: 'The connection was lost: try again, and look into the log of the system if it repeats.',
  },
  too_many_connections: {
    kind: 'resource_exhausted',
    class: 'transient',
    text: 'It takes no further connections: raise its limit, or let fewer runs work at once.',
  },
  locked: {
    kind: 'resource_exhausted',
    class: 'transient',
    text: 'Another process has it open: close it there, or try again when it is done.',
  },
  tls_mismatch: {
    kind: 'config_invalid',
    class: 'config',
    text: 'Only one side wants TLS: set the TLS mode of the connection to what the server offers.',
  },
  certificate_untrusted: {
    kind: 'auth_failed',
    class: 'config',
    text: 'The certificate is not trusted: set caCertificate to the authority that signed it.',
  },
  certificate_mismatch: {
    kind: 'auth_failed',
    class: 'config',
    text: 'The certificate is for another host: connect by a name that it holds.',
  },
  login_refused: {
    kind: 'auth_failed',
    class: 'auth',
    text: 'The login was refused: check user, password and other credentials.',
  },
  database_missing: {
    kind: 'config_invalid',
    class: 'config',
    text: 'The database, bucket or topic does not exist: check its name.',
  },
  permission_denied: {
    kind: 'permission_denied',
    class: 'config',
    text: 'The user may not do this: grant it what is needed.',
  },
} as const satisfies Record<string, { kind: string; class: Failure['class']; text: string }>;

export type ConnectReason = keyof typeof reasons;

export const connectReasons = Object.keys(reasons) as readonly ConnectReason[];

const codeOf = (kind: (typeof reasons)[ConnectReason]['kind'], role: 'source' | 'destination') =>
  kind === 'unreachable' || kind === 'permission_denied' ? (`${role}_${kind}` as const) : kind;

export interface ConnectProblem {
  role: 'source' | 'destination';
  /** What was to be reached, such as host and port. */
  where?: string;
  /** More exactly, where a connector knows: names of objects and codes, never values or secrets. */
  detail?: string;
  cause?: unknown;
}

export const connectFailure = (
  reason: ConnectReason,
  { role, where, detail, cause }: ConnectProblem,
): RunFailure => {
  const { kind, class: failureClass, text } = reasons[reason];
  const said =
    where === undefined ? text : `${where}: ${text.charAt(0).toLowerCase()}${text.slice(1)}`;
  const message = detail === undefined ? said : `${said} ${detail}`;
  return new RunFailure(
    { code: codeOf(kind, role), class: failureClass, message, reason },
    cause === undefined ? {} : { cause },
  );
};
