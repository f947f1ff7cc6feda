import { connectFailure } from '../../core/connecting.js';
import type { ConnectReason } from '../../core/connecting.js';
import type { Failure, FailureClass, FailureCode } from '../../core/failures.js';
import { RunFailure } from '../../core/failures.js';
import type { Role } from '../manifest.js';

/** What the driver says of an error; the text may hold users' values. */
interface DriverError {
  code?: string;
  errno?: number;
  message?: string;
}

/** By the server's number, or by Node's or the driver's word. */
const connecting: readonly [reason: ConnectReason, ...codes: readonly (number | string)[]][] = [
  ['login_refused', 1045, 1698, 1820, 1862, 3118, 4151, 'AUTH_SWITCH_PLUGIN_ERROR'],
  ['database_missing', 1049],
  ['too_many_connections', 1040, 1203, 1226],
  ['tls_mismatch', 3159, 4152, 'HANDSHAKE_NO_SSL_SUPPORT', 'ERR_SSL_WRONG_VERSION_NUMBER'],
  ['certificate_mismatch', 'ERR_TLS_CERT_ALTNAME_INVALID'],
  ['permission_denied', 1044, 1130, 1142, 1143, 1227, 1370],
  ['connect_timeout', 'ETIMEDOUT'],
  ['network_unreachable', 'EHOSTUNREACH', 'ENETUNREACH'],
  ['connection_lost', 1053, 1152, 1158, 1159, 1160, 1161, 1184, 1927, 1077, 1079],
  ['connection_lost', 'PROTOCOL_CONNECTION_LOST', 'ECONNRESET', 'EPIPE', 'PROTOCOL_ERROR'],
];

const certificate = /CERT|SELF_SIGNED|UNABLE_TO|ERR_OSSL_PEM|ERR_SSL/;

/** The driver has one word for all of these; what Node said of it is in the text. */
const tlsReasonOf = (message: string): ConnectReason => {
  if (/altname|does not match/i.test(message)) return 'certificate_mismatch';
  return /certificate|issuer|PEM/i.test(message) ? 'certificate_untrusted' : 'tls_mismatch';
};

const reasonOf = ({ errno, code = '', message = '' }: DriverError): ConnectReason | undefined => {
  if (code === 'HANDSHAKE_SSL_ERROR') return tlsReasonOf(message);
  const known = connecting.find(
    ([, ...codes]) => codes.includes(code) || (errno !== undefined && codes.includes(errno)),
  );
  if (known) return known[0];
  if (certificate.test(code)) return 'certificate_untrusted';
  return undefined;
};

interface Rule {
  errors: readonly number[];
  code: FailureCode;
  kind: FailureClass;
  fix: string;
  /** The server's own words hold names and types only, and say best what is wrong. */
  quotes?: true;
}

const common = (busy: FailureCode): readonly Rule[] => [
  {
    errors: [1205, 1213, 3024, 1969, 1317, 1412],
    code: busy,
    kind: 'transient',
    fix: 'The server was busy, or a time limit of its own was reached.',
  },
  {
    errors: [1021, 1037, 1038, 1041, 1114, 1135, 3, 28, 1878],
    code: 'resource_exhausted',
    kind: 'transient',
    fix: 'The server has no disk space or memory left.',
  },
];

const rules: Readonly<Record<Role, readonly Rule[]>> = {
  source: [
    {
      errors: [1146, 1054, 1051, 1356],
      code: 'schema_drift',
      kind: 'schema',
      fix: 'What is read is not there.',
      quotes: true,
    },
    {
      errors: [1064, 1149, 1065],
      code: 'config_invalid',
      kind: 'config',
      fix: 'The SQL is not a single query that the server understands.',
    },
    {
      errors: [1052, 1060, 1066, 1111, 1140, 1055, 1222, 1241, 1305, 1267, 1584, 1630, 1235, 1295],
      code: 'config_invalid',
      kind: 'config',
      fix: 'The server does not accept the SQL.',
      quotes: true,
    },
    {
      errors: [1792, 1290],
      code: 'config_invalid',
      kind: 'config',
      fix: 'A source can only be read: its SQL must be a query that changes nothing.',
    },
    {
      errors: [1153, 1301, 1162],
      code: 'row_too_large',
      kind: 'schema',
      fix: 'A row is too large for the server to send: raise max_allowed_packet there, or leave large columns out.',
    },
    {
      errors: [1292, 1365, 1690, 1264, 1406, 1411],
      code: 'expression_error',
      kind: 'schema',
      fix: 'A value does not suit the SQL that is applied to it.',
    },
    ...common('source_timeout'),
  ],
  destination: [
    {
      errors: [1146, 1054, 1051, 1050, 1136],
      code: 'schema_drift',
      kind: 'schema',
      fix: 'The table is not what it was.',
    },
    {
      errors: [1062, 1586, 1048, 1263, 1216, 1452, 1451, 3819, 4025, 1644, 1364, 1138],
      code: 'destination_constraint_violation',
      kind: 'schema',
      fix: 'A row breaks a constraint of the table; nothing of its split was written.',
    },
    {
      errors: [
        1264, 1265, 1292, 1300, 1365, 1366, 1367, 1406, 1411, 1526, 1690, 3140, 4038, 1261, 1262,
        4078, 1367, 1441,
      ],
      code: 'destination_constraint_violation',
      kind: 'schema',
      fix: 'A value does not fit its column; nothing of its split was written.',
    },
    {
      errors: [1071, 1118, 1117, 1059, 1102, 1103, 1166, 1170, 1113],
      code: 'config_invalid',
      kind: 'config',
      fix: 'The server does not take a table of these columns and keys.',
      quotes: true,
    },
    {
      errors: [1153],
      code: 'row_too_large',
      kind: 'schema',
      fix: 'A row is too large for the server to take: raise max_allowed_packet there.',
    },
    {
      errors: [1290, 1836, 4047],
      code: 'destination_permission_denied',
      kind: 'config',
      fix: 'The server is read-only, or does not allow this statement.',
    },
    ...common('destination_unreachable'),
  ],
};

const sentence = (text: string): string =>
  text === '' ? '' : ` ${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

const failureOf = (rule: Rule, { message = '', errno = 0 }: DriverError): Failure => ({
  code: rule.code,
  class: rule.kind,
  message: `${rule.fix}${rule.quotes ? sentence(message) : ''} [${errno}]`,
});

/** An answer of the server that no rule knows will be the same next time; a lost one may not. */
const unknown = ({ errno, code }: DriverError, role: Role): RunFailure => {
  if (errno === undefined || errno <= 0) {
    const detail = code === undefined ? {} : { detail: `[${code}]` };
    return connectFailure('connection_lost', { role, ...detail });
  }
  return new RunFailure({
    code: 'config_invalid',
    class: 'config',
    message: `The server refused it [${errno}].`,
  });
};

/** The server's number of an error; 0 where it is not the server's. */
export const errorNumber = (error: unknown): number => {
  const { errno } = (error ?? {}) as DriverError;
  return errno !== undefined && errno > 0 ? errno : 0;
};

/** Of these the connection or the server is to blame; everything else is about the statement. */
export const isAboutConnection = (error: unknown): boolean =>
  error instanceof RunFailure || errorNumber(error) === 0 || isConnecting(error as DriverError);

const isConnecting = (error: DriverError): boolean => {
  const reason = reasonOf(error);
  return reason !== undefined && reason !== 'permission_denied';
};

/** What an error of the driver means to a user. One that is classified already stays as it is. */
export const classify = (error: unknown, role: Role): RunFailure => {
  if (error instanceof RunFailure) return error;
  const driver = (error ?? {}) as DriverError;
  const code = driver.code === undefined ? '' : `[${driver.errno ?? driver.code}]`;
  const reason = reasonOf(driver);
  if (reason) return connectFailure(reason, { role, detail: code, cause: error });
  const rule = rules[role].find(({ errors }) => errors.includes(driver.errno ?? 0));
  return rule ? new RunFailure(failureOf(rule, driver), { cause: error }) : unknown(driver, role);
};
