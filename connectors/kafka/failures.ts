import { protocolErrors, protocolErrorsCodesById } from '@platformatic/kafka';
import { connectFailure } from '../../core/connecting.js';
import type { ConnectProblem, ConnectReason } from '../../core/connecting.js';
import { RunFailure } from '../../core/failures.js';
import type { Role } from '../manifest.js';
import { AnswerTooLarge, ConnectionLost, NoAnswer, NoKafka } from './connection.js';
import { ScramRefused } from './scram.js';
import { NoTls } from './tls.js';

/** Numbers of the protocol that are acted upon. */
export const brokerCodes = {
  none: 0,
  offsetOutOfRange: 1,
  corruptMessage: 2,
  unknownTopic: 3,
  leaderNotAvailable: 5,
  notLeader: 6,
  requestTimedOut: 7,
  messageTooLarge: 10,
  notCoordinator: 16,
  invalidTopic: 17,
  recordListTooLarge: 18,
  notEnoughReplicas: 19,
  notEnoughReplicasAfterAppend: 20,
  topicAuthorization: 29,
  clusterAuthorization: 31,
  unsupportedMechanism: 33,
  illegalSaslState: 34,
  duplicateSequence: 46,
  storageError: 56,
  loginFailed: 58,
  fencedEpoch: 74,
  offsetNotAvailable: 78,
  invalidRecord: 87,
} as const;

/** The broker is not, or no longer, the one to ask; or not yet. */
const passing: ReadonlySet<number> = new Set([
  brokerCodes.unknownTopic,
  brokerCodes.leaderNotAvailable,
  brokerCodes.notLeader,
  brokerCodes.requestTimedOut,
  brokerCodes.notEnoughReplicas,
  brokerCodes.notEnoughReplicasAfterAppend,
  brokerCodes.storageError,
  brokerCodes.fencedEpoch,
  brokerCodes.offsetNotAvailable,
]);

export const isPassing = (code: number): boolean => passing.has(code);

const wordOf = (code: number): string => {
  const word = protocolErrorsCodesById[code];
  return word !== undefined && word in protocolErrors ? word : `error ${code}`;
};

const reasonsOfCodes: Readonly<Record<number, ConnectReason>> = {
  [brokerCodes.unknownTopic]: 'database_missing',
  [brokerCodes.invalidTopic]: 'database_missing',
  [brokerCodes.topicAuthorization]: 'permission_denied',
  [brokerCodes.clusterAuthorization]: 'permission_denied',
  [brokerCodes.unsupportedMechanism]: 'login_refused',
  [brokerCodes.illegalSaslState]: 'login_refused',
  [brokerCodes.loginFailed]: 'login_refused',
};

/** What a broker answers instead of what was asked for. */
export const refusedBy = (code: number, problem: ConnectProblem): RunFailure =>
  connectFailure(reasonsOfCodes[code] ?? 'connection_lost', {
    ...problem,
    detail: problem.detail ?? `[${wordOf(code)}]`,
  });

/** How TLS begins what it has to say when it was not spoken to in TLS. */
const isTlsAlert = (bytes: Buffer): boolean => bytes[0] === 0x15 && bytes[1] === 0x03;

const mostHeld = (role: Role, where: string): RunFailure =>
  new RunFailure({
    code: 'row_too_large',
    class: 'config',
    message: `${where}: there are batches of messages larger than what a ${role} may hold at once: raise FLX_MAX_ROW_BYTES, or let the producers send smaller ones.`,
  });

const tlsCode = (error: unknown): string => {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' ? code : '';
};

export interface Place {
  role: Role;
  where: string;
  /** Until the broker has let us in. */
  opening: boolean;
}

/** Why it did not go on, whatever was thrown; what is said already stays as it is. */
export const problemAt = (error: unknown, { role, where, opening }: Place): RunFailure => {
  if (error instanceof RunFailure) return error;
  const problem = { role, where, cause: error };
  const code = tlsCode(error);
  if (error instanceof NoTls) {
    const detail = 'The listener does not speak TLS: set ssl to disable, or name another port.';
    return connectFailure('tls_mismatch', { ...problem, detail });
  }
  if (error instanceof NoKafka && isTlsAlert(error.firstBytes)) {
    const detail = 'The listener speaks TLS: set ssl to verify-full.';
    return connectFailure('tls_mismatch', { ...problem, detail });
  }
  if (error instanceof NoKafka) {
    const detail = 'What answers is no Kafka broker: check host and port.';
    return connectFailure('connection_lost', { ...problem, detail });
  }
  if (error instanceof AnswerTooLarge) return mostHeld(role, where);
  if (error instanceof ScramRefused) {
    const detail = 'The broker did not show that it knows the password.';
    return connectFailure('login_refused', { ...problem, detail });
  }
  if (error instanceof NoAnswer) {
    return connectFailure(opening ? 'connect_timeout' : 'connection_lost', problem);
  }
  if (error instanceof ConnectionLost) return connectFailure('connection_lost', problem);
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    return connectFailure('certificate_mismatch', problem);
  }
  if (/CERT|SELF_SIGNED|UNABLE_TO_VERIFY/.test(code)) {
    return connectFailure('certificate_untrusted', problem);
  }
  if (/^EPROTO$|^ERR_SSL/.test(code)) return connectFailure('tls_mismatch', problem);
  return connectFailure('connection_lost', problem);
};
