import type { Failure, FailureClass, FailureCode } from '../../core/failures.js';
import { RunFailure } from '../../core/failures.js';

/** The parts of a driver error that may be shown; `detail` and `where` hold users' values. */
interface DriverError {
  code?: string;
  table?: string;
  column?: string;
  constraint?: string;
}

type Rule = [matches: RegExp, code: FailureCode, kind: FailureClass, fix: string];

/**
 * By SQLSTATE or Node's error code; the first match decides. Why a connection does not come about
 * at all is said by net/, and arrives here classified.
 */
const rules: readonly Rule[] = [
  [/^28/, 'auth_failed', 'auth', 'The server refused the login: check user and password.'],
  [/^3D000$/, 'config_invalid', 'config', 'The database does not exist on this server.'],
  [
    /^42501$/,
    'destination_permission_denied',
    'config',
    'The user lacks a privilege: grant it CREATE on the database and the schema, or INSERT on the table.',
  ],
  [/^3F000$/, 'config_invalid', 'config', 'The schema does not exist: create it first.'],
  [/^42P01$|^42703$|^42804$|^42P07$/, 'schema_drift', 'schema', 'The table is not what it was.'],
  [
    /^23/,
    'destination_constraint_violation',
    'schema',
    'A row breaks a constraint of the table; nothing of its split was written.',
  ],
  [
    /^22/,
    'destination_constraint_violation',
    'schema',
    'A value does not fit its column; nothing of its split was written.',
  ],
  [/^53100$/, 'resource_exhausted', 'transient', 'The server has no disk space left.'],
  [/^53/, 'resource_exhausted', 'transient', 'The server has no connection or memory left.'],
  [/^40|^55P03$|^57014$/, 'destination_unreachable', 'transient', 'The server was busy.'],
  [/^08|^57P/, 'destination_unreachable', 'transient', 'The server went away.'],
  [
    /^ECONNRESET$|^EPIPE$|^ETIMEDOUT$|^EHOSTUNREACH$|^ENETUNREACH$|^ERR_STREAM/,
    'destination_unreachable',
    'transient',
    'The connection was lost.',
  ],
  [
    /CERT|SELF_SIGNED/,
    'auth_failed',
    'config',
    'The certificate is not trusted: set caCertificate.',
  ],
];

const place = ({ table, column, constraint }: DriverError): string => {
  const parts = [
    table === undefined ? '' : `table ${table}`,
    column === undefined ? '' : `column ${column}`,
    constraint === undefined ? '' : `constraint ${constraint}`,
  ].filter((part) => part !== '');
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`;
};

/** What an error of the driver means to a user. One that is classified already stays as it is. */
export const classify = (error: unknown): RunFailure => {
  if (error instanceof RunFailure) return error;
  const driver = error as DriverError;
  const code = driver.code ?? '';
  const rule = rules.find(([matches]) => matches.test(code));
  return new RunFailure(
    rule
      ? { code: rule[1], class: rule[2], message: `${rule[3]}${place(driver)} [${code}]` }
      : unknown(code),
    { cause: error },
  );
};

/** An answer of the server that no rule knows will be the same next time; a lost one may not. */
const unknown = (code: string): Failure =>
  /^[0-9A-Z]{5}$/.test(code)
    ? { code: 'config_invalid', class: 'config', message: `PostgreSQL refused it [${code}].` }
    : {
        code: 'destination_unreachable',
        class: 'transient',
        message: 'The connection ended unexpectedly.',
      };
