import { connectFailure } from '../../core/connecting.js';
import type { ConnectReason } from '../../core/connecting.js';
import type { Failure, FailureClass, FailureCode } from '../../core/failures.js';
import { RunFailure } from '../../core/failures.js';
import type { Role } from '../manifest.js';

/** The parts of a driver error that may be shown; `detail` and `where` hold users' values. */
interface DriverError {
  code?: string;
  message?: string;
  table?: string;
  column?: string;
  constraint?: string;
}

/** What every system has a word for: said in the same way whatever the system is. */
interface ConnectRule {
  matches: RegExp;
  reason: ConnectReason;
  fix?: string;
}

interface OwnRule {
  matches: RegExp;
  code: FailureCode;
  kind: FailureClass;
  fix: string;
  /**
   * The server's own words, which say best what is wrong: all of them where they hold names and
   * types only, or the one at which it stopped.
   */
  quotes?: 'all' | 'word';
}

type Rule = ConnectRule | OwnRule;
type Rules = readonly Rule[];

const loginRules: Rules = [
  { matches: /^28/, reason: 'login_refused' },
  { matches: /^3D000$/, reason: 'database_missing' },
  { matches: /^53300$/, reason: 'too_many_connections' },
  { matches: /^ERR_TLS_CERT_ALTNAME_INVALID$/, reason: 'certificate_mismatch' },
  { matches: /CERT|SELF_SIGNED|UNABLE_TO_VERIFY/, reason: 'certificate_untrusted' },
  { matches: /^EPROTO$|^ERR_SSL/, reason: 'tls_mismatch' },
];

/** What goes wrong in the same way at either end of a run. */
const commonRules = (unreachable: FailureCode): Rules => [
  {
    matches: /^53100$/,
    code: 'resource_exhausted',
    kind: 'transient',
    fix: 'The server has no disk space left.',
  },
  {
    matches: /^53/,
    code: 'resource_exhausted',
    kind: 'transient',
    fix: 'The server has no memory left.',
  },
  {
    matches: /^40|^55P03$|^57014$/,
    code: unreachable,
    kind: 'transient',
    fix: 'The server was busy.',
  },
  {
    matches: /^08|^57P|^ECONNRESET$|^EPIPE$|^ERR_STREAM/,
    reason: 'connection_lost',
  },
  { matches: /^ETIMEDOUT$/, reason: 'connect_timeout' },
  { matches: /^EHOSTUNREACH$|^ENETUNREACH$/, reason: 'network_unreachable' },
];

const sourceRules: Rules = [
  ...loginRules,
  {
    matches: /^42501$/,
    reason: 'permission_denied',
    fix: 'Reading takes USAGE on the schema and SELECT on the table.',
  },
  {
    matches: /^57014$/,
    code: 'source_timeout',
    kind: 'transient',
    fix: 'The server did not answer in time.',
  },
  {
    matches: /^3F000$|^42P01$|^42703$/,
    code: 'schema_drift',
    kind: 'schema',
    fix: 'What is read is not there.',
    quotes: 'all',
  },
  {
    matches: /^42601$/,
    code: 'config_invalid',
    kind: 'config',
    fix: 'The SQL is not a single query that PostgreSQL understands.',
    quotes: 'word',
  },
  {
    matches: /^42(704|883|702|803|804|725|712|P08|P18|P20)$/,
    code: 'config_invalid',
    kind: 'config',
    fix: 'PostgreSQL does not accept the SQL.',
    quotes: 'all',
  },
  {
    matches: /^25006$|^0A000$/,
    code: 'config_invalid',
    kind: 'config',
    fix: 'A source can only be read: its SQL must be a query that changes nothing.',
  },
  {
    matches: /^22/,
    code: 'expression_error',
    kind: 'schema',
    fix: 'A value does not suit the SQL that is applied to it.',
  },
  {
    matches: /^54000$/,
    code: 'row_too_large',
    kind: 'schema',
    fix: 'A row is too large for the server to send: leave its large columns out.',
  },
  {
    matches: /^72000$/,
    code: 'snapshot_lost',
    kind: 'transient',
    fix: 'The state that was being read is too old for the server. The stage has to start over.',
  },
  ...commonRules('source_unreachable'),
];

const destinationRules: Rules = [
  ...loginRules,
  {
    matches: /^42501$/,
    reason: 'permission_denied',
    fix: 'Loading takes CREATE on the database and the schema, or INSERT on the table.',
  },
  {
    matches: /^3F000$/,
    code: 'config_invalid',
    kind: 'config',
    fix: 'The schema does not exist: create it first.',
  },
  {
    matches: /^42P01$|^42703$|^42804$|^42P07$/,
    code: 'schema_drift',
    kind: 'schema',
    fix: 'The table is not what it was.',
  },
  {
    matches: /^23/,
    code: 'destination_constraint_violation',
    kind: 'schema',
    fix: 'A row breaks a constraint of the table; nothing of its split was written.',
  },
  {
    matches: /^22/,
    code: 'destination_constraint_violation',
    kind: 'schema',
    fix: 'A value does not fit its column; nothing of its split was written.',
  },
  ...commonRules('destination_unreachable'),
];

/** By SQLSTATE or Node's error code; the first match decides. */
const rules: Readonly<Record<Role, Rules>> = {
  source: sourceRules,
  destination: destinationRules,
};

const place = ({ table, column, constraint }: DriverError): string => {
  const parts = [
    table === undefined ? '' : `table ${table}`,
    column === undefined ? '' : `column ${column}`,
    constraint === undefined ? '' : `constraint ${constraint}`,
  ].filter((part) => part !== '');
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`;
};

/** Where the server stopped reading, unless that is a value: it may be one that nobody is to see. */
const stop = (text: string): string => {
  const word = /at or near "([A-Za-z_]\w{0,62}|[^\w'"]{1,3})"$/.exec(text)?.[1];
  return word === undefined ? '' : ` It stops at ${word}.`;
};

const sentence = (text: string): string =>
  text === '' ? '' : ` ${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

const details = ({ quotes }: OwnRule, error: DriverError): string => {
  if (quotes === 'all') return sentence(error.message ?? '');
  return quotes === 'word' ? stop(error.message ?? '') : place(error);
};

const failureOf = (rule: OwnRule, error: DriverError, code: string): Failure => ({
  code: rule.code,
  class: rule.kind,
  message: `${rule.fix}${details(rule, error)} [${code}]`,
});

/**
 * What an error of the driver means to a user. One that is classified already stays as it is; why
 * a connection does not come about at all is said by net/, and arrives here classified.
 */
export const classify = (error: unknown, role: Role): RunFailure => {
  if (error instanceof RunFailure) return error;
  const driver = error as DriverError;
  const code = driver.code ?? '';
  const rule = rules[role].find(({ matches }) => matches.test(code));
  if (rule && 'reason' in rule) {
    const fix = rule.fix === undefined ? '' : `${rule.fix} `;
    return connectFailure(rule.reason, { role, detail: `${fix}[${code}]`, cause: error });
  }
  return new RunFailure(rule ? failureOf(rule, driver, code) : unknown(code, role), {
    cause: error,
  });
};

/** An answer of the server that no rule knows will be the same next time; a lost one may not. */
const unknown = (code: string, role: Role): Failure =>
  /^[0-9A-Z]{5}$/.test(code)
    ? { code: 'config_invalid', class: 'config', message: `PostgreSQL refused it [${code}].` }
    : {
        code: `${role}_unreachable`,
        class: 'transient',
        message: 'The connection ended unexpectedly.',
      };
