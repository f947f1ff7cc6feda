import { connectFailure } from '../../core/connecting.js';
import { RunFailure } from '../../core/failures.js';
import type { Role } from '../manifest.js';
import { authenticateCall, handshakeCall, versionsCall } from './calls.js';
import type { BrokerConnection } from './connection.js';
import { ConnectionLost } from './connection.js';
import { brokerCodes, refusedBy } from './failures.js';
import type { KafkaConfig } from './manifest.js';
import { logInByScram } from './scram.js';

/** In which versions each request is made; see calls.ts. */
const needed: Readonly<Record<number, number>> = { 0: 9, 1: 12, 2: 5, 3: 9, 22: 4 };

const tooOld = (where: string): RunFailure =>
  new RunFailure({
    code: 'config_invalid',
    class: 'config',
    message: `${where} does not speak the protocol of Kafka 2.7 or newer: upgrade the broker.`,
  });

const greet = async (connection: BrokerConnection): Promise<void> => {
  const { apiKeys } = await connection.ask(versionsCall());
  const versions = new Map(apiKeys.map((api) => [api.apiKey, api]));
  const knowsAll = Object.entries(needed).every(([api, version]) => {
    const range = versions.get(Number(api));
    return range !== undefined && range.minVersion <= version && version <= range.maxVersion;
  });
  if (!knowsAll) throw tooOld(connection.where);
};

const details: Readonly<Record<number, string>> = {
  [brokerCodes.illegalSaslState]:
    'This listener asks for no login: leave sasl away, or name another port.',
};

const logIn = async (
  connection: BrokerConnection,
  { sasl, password = '' }: KafkaConfig,
  role: Role,
): Promise<void> => {
  if (!sasl) return;
  const { mechanism, username } = sasl;
  const { where } = connection;
  const handshake = await connection.ask(handshakeCall(mechanism.toUpperCase()));
  if (handshake.errorCode !== brokerCodes.none) {
    const offered = handshake.mechanisms.filter((word) => /^[A-Z0-9-]{1,20}$/.test(word));
    const said = `The broker does not offer ${mechanism}; it offers ${offered.join(', ')}.`;
    const detail = details[handshake.errorCode] ?? said;
    throw refusedBy(handshake.errorCode, { role, where, detail });
  }
  const exchange = async (message: Buffer): Promise<Buffer> => {
    const { errorCode, authBytes } = await connection.ask(authenticateCall(message));
    if (errorCode !== brokerCodes.none) throw refusedBy(errorCode, { role, where });
    return authBytes;
  };
  if (mechanism === 'plain') await exchange(Buffer.from(`\0${username}\0${password}`));
  else await logInByScram(mechanism, { username, password }, exchange);
};

/** A listener with a login hangs up on those who go on without one. */
export const needsLogin = (
  error: unknown,
  { sasl }: KafkaConfig,
  role: Role,
  where: string,
): unknown =>
  error instanceof ConnectionLost && !sasl
    ? connectFailure('login_refused', {
        role,
        where,
        detail: 'The broker hung up where a login is expected: set sasl.',
        cause: error,
      })
    : error;

/** Finds out whether the broker can be talked to, and shows it who we are. */
export const beginSession = async (
  connection: BrokerConnection,
  config: KafkaConfig,
  role: Role,
): Promise<void> => {
  await greet(connection);
  await logIn(connection, config, role);
};
