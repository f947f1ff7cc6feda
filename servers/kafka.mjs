/**
 * A Kafka broker of one's own on 127.0.0.1 (KRaft, one node). Its plain listener lets everybody do
 * everything; the one with a login knows the user `fluxline`, by PLAIN and by SCRAM, and further
 * users that are given, who may do what ACLs say. With a certificate there is one for TLS as well.
 */
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import path from 'node:path';
import { StartError } from './errors.mjs';
import { findKafka } from './kafka/jars.mjs';
import { freePorts, portInUse } from './ports.mjs';
import { spawnLogged, stopProcess } from './processes.mjs';
import { waitUntil } from './waiting.mjs';

/**
 * @typedef {object} KafkaOptions
 * @property {string} directory data and settings; made if it is missing
 * @property {string} [logFile]
 * @property {number} [port] of the plain listener; 0 or absent: any free one
 * @property {string} [password] of `fluxline`
 * @property {Record<string, string>} [users] further ones with their passwords, by PLAIN
 * @property {string} [pem] key (PKCS #8) and certificate of the TLS listener, in one file
 * @property {string} [advertisedHost] where brokers say they are; 127.0.0.1
 * @property {Record<string, string>} [settings] of the broker
 * @property {(line: string) => void} [say]
 * @property {AbortSignal} [signal] gives up starting
 * @property {(spawned: import('./processes.mjs').ProcessRef) => void} [onSpawn] before it is ready
 *
 * @typedef {import('./processes.mjs').Spawned & {
 *   host: string, port: number, loginPort: number, tlsPort: number | null,
 *   user: string, password: string, classPath: string, stop: () => Promise<void>,
 * }} RunningKafka
 */

const USER = 'fluxline';
const START_TIMEOUT_MS = 90_000;
const FORMAT_TIMEOUT_MS = 60_000;

/** @type {import('./processes.mjs').StopStep[]} */
const STOP_STEPS = [
  { signal: 'SIGTERM', waitMs: 20_000 },
  { signal: 'SIGKILL', waitMs: 5_000 },
];

/**
 * @param {KafkaOptions} options
 * @returns {Promise<RunningKafka>}
 */
export async function startKafka(options) {
  const { say, signal } = options;
  const libs = await findKafka({ ...(say && { say }), ...(signal && { signal }) });
  const directory = path.resolve(options.directory);
  const logFile = options.logFile ?? path.join(directory, 'kafka.log');
  mkdirSync(directory, { recursive: true });
  mkdirSync(path.dirname(logFile), { recursive: true });
  if (options.port && (await portInUse(options.port))) {
    throw new StartError(`Port ${options.port} is in use; choose another for Kafka.`);
  }
  const password = options.password ?? randomBytes(12).toString('hex');
  writeFileSync(path.join(directory, 'log4j2.properties'), LOGGING);
  const place = { directory, logFile, file: path.join(directory, 'server.properties') };
  const classPath = path.join(libs, '*');
  for (let attempt = 1; ; attempt += 1) {
    const [anyPort = 0, loginPort = 0, tls = 0, controllerPort = 0] = await freePorts(4);
    const port = options.port || anyPort;
    const tlsPort = options.pem === undefined ? null : tls;
    const ports = { port, loginPort, tlsPort, controllerPort };
    const settings = settingsOf(options, directory, password, ports);
    const lines = Object.entries(settings).map(([name, value]) => `${name}=${escaped(value)}\n`);
    writeFileSync(place.file, lines.join(''), { mode: 0o600 });
    if (!existsSync(path.join(directory, 'data', 'meta.properties'))) {
      format(place, classPath, password);
    }
    signal?.throwIfAborted();
    const outcome = await launch(place, classPath, options, port);
    if ('log' in outcome) {
      // Free ports may be taken the next moment, which is worth another try.
      if (/Address already in use/i.test(outcome.log) && attempt < 4) continue;
      const line = outcome.log.trim().split('\n').at(-1) || 'it ended without a word';
      throw new StartError(`Kafka did not start: ${line}. See ${logFile}.`);
    }
    const { spawned } = outcome;
    const stop = async () => {
      await stopProcess(spawned, STOP_STEPS);
    };
    const ready = { host: '127.0.0.1', port, loginPort, tlsPort, user: USER, password, classPath };
    return { ...spawned, ...ready, stop };
  }
}

/**
 * Java takes other letters than those of ASCII for something else in such a file.
 * @param {string | number} value
 */
const escaped = (value) =>
  String(value)
    .replaceAll('\\', '\\\\')
    .replace(/[^ -~]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`);

const LOGGING = `
appenders=console
appender.console.type=Console
appender.console.name=STDOUT
appender.console.layout.type=PatternLayout
appender.console.layout.pattern=%d %p %c{1} %m%n
rootLogger.level=warn
rootLogger.appenderRefs=console
rootLogger.appenderRef.console.ref=STDOUT
`;

/**
 * Nothing here is kept: it need not survive the machine.
 * @param {KafkaOptions} options
 * @param {string} directory
 * @param {string} password
 * @param {{port: number, loginPort: number, tlsPort: number | null, controllerPort: number}} ports
 * @returns {Record<string, string | number>}
 */
function settingsOf(options, directory, password, { port, loginPort, tlsPort, controllerPort }) {
  /** @type {[string, string, number][]} */
  const listeners = [
    ['OPEN', 'PLAINTEXT', port],
    ['LOGIN', 'SASL_PLAINTEXT', loginPort],
  ];
  if (tlsPort !== null) listeners.push(['TLS', 'SSL', tlsPort]);
  const at = (/** @type {string} */ host) =>
    listeners.map(([name, , number]) => `${name}://${host}:${number}`);
  const protocols = listeners.map(([name, protocol]) => `${name}:${protocol}`);
  const users = Object.entries({ ...options.users, [USER]: password }).map(
    ([user, secret]) => `user_${user}="${secret}"`,
  );
  const login = 'listener.name.login';
  const scram = 'org.apache.kafka.common.security.scram.ScramLoginModule required;';
  return {
    'process.roles': 'broker,controller',
    'node.id': 1,
    'controller.quorum.voters': `1@127.0.0.1:${controllerPort}`,
    'controller.listener.names': 'CONTROLLER',
    listeners: [...at('127.0.0.1'), `CONTROLLER://127.0.0.1:${controllerPort}`].join(','),
    'advertised.listeners': at(options.advertisedHost ?? '127.0.0.1').join(','),
    'listener.security.protocol.map': [...protocols, 'CONTROLLER:PLAINTEXT'].join(','),
    'inter.broker.listener.name': 'OPEN',
    'sasl.enabled.mechanisms': 'PLAIN,SCRAM-SHA-256,SCRAM-SHA-512',
    [`${login}.plain.sasl.jaas.config`]: `org.apache.kafka.common.security.plain.PlainLoginModule required ${users.join(' ')};`,
    [`${login}.scram-sha-256.sasl.jaas.config`]: scram,
    [`${login}.scram-sha-512.sasl.jaas.config`]: scram,
    'authorizer.class.name': 'org.apache.kafka.metadata.authorizer.StandardAuthorizer',
    'super.users': `User:ANONYMOUS;User:${USER}`,
    'log.dirs': path.join(directory, 'data'),
    'log.flush.interval.messages': 1_000_000,
    'num.partitions': 1,
    'offsets.topic.replication.factor': 1,
    'offsets.topic.num.partitions': 1,
    'transaction.state.log.replication.factor': 1,
    'transaction.state.log.min.isr': 1,
    'transaction.state.log.num.partitions': 1,
    'auto.create.topics.enable': 'false',
    ...(options.pem === undefined
      ? {}
      : { 'ssl.keystore.type': 'PEM', 'ssl.keystore.location': options.pem }),
    ...options.settings,
  };
}

/** @typedef {{directory: string, logFile: string, file: string}} Place `file`: its settings */

/**
 * @param {Place} place
 * @param {string} classPath
 * @param {string} password
 */
function format({ directory, file, logFile }, classPath, password) {
  const clusterId = randomBytes(16).toString('base64url');
  const scram = ['SCRAM-SHA-256', 'SCRAM-SHA-512'].flatMap((mechanism) => [
    '--add-scram',
    `${mechanism}=[name=${USER},password=${password}]`,
  ]);
  const args = ['-cp', classPath, 'kafka.tools.StorageTool', 'format', '-t', clusterId, '-c', file];
  const { status, stderr, stdout } = spawnSync('java', [...jvm(directory), ...args, ...scram], {
    encoding: 'utf8',
    timeout: FORMAT_TIMEOUT_MS,
  });
  if (status === 0) return;
  const said = `${stdout ?? ''}${stderr ?? ''}`;
  writeFileSync(logFile, said, { flag: 'a' });
  const line = said.trim().split('\n').at(-1) || 'Java does not run: install a JRE, 17 or newer';
  throw new StartError(`Kafka's directory could not be made: ${line}. See ${logFile}.`);
}

/** @param {string} directory */
const jvm = (directory) => [
  '-Xmx512m',
  '-XX:TieredStopAtLevel=1',
  `-Dlog4j2.configurationFile=${path.join(directory, 'log4j2.properties')}`,
];

/**
 * @param {Place} place
 * @param {string} classPath
 * @param {KafkaOptions} options
 * @param {number} port
 * @returns {Promise<{spawned: import('./processes.mjs').Spawned} | {log: string}>}
 */
async function launch({ directory, file, logFile }, classPath, { signal, onSpawn }, port) {
  const logStart = statSync(logFile, { throwIfNoEntry: false })?.size ?? 0;
  const args = [...jvm(directory), '-cp', classPath, 'kafka.Kafka', file];
  const spawned = await spawnLogged('java', args, { logFile });
  onSpawn?.(spawned);
  try {
    await waitUntil(async () => spawned.hasExited() || serves(port), {
      what: 'Starting Kafka',
      timeoutMs: START_TIMEOUT_MS,
      everyMs: 100,
      signal,
    });
  } catch (error) {
    await stopProcess(spawned, STOP_STEPS);
    throw error;
  }
  if (!spawned.hasExited()) return { spawned };
  return { log: readFileSync(logFile).subarray(logStart).toString('utf8') };
}

/** Asks which requests are known (ApiVersions, version 0), which is answered by who serves. */
const QUESTION = Buffer.from('0000000a0012000000000001ffff', 'hex');

/**
 * @param {number} port
 * @returns {Promise<boolean>}
 */
const serves = (port) =>
  new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port, timeout: START_TIMEOUT_MS });
    /** @param {boolean} answer */
    const settle = (answer) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', () => socket.write(QUESTION));
    socket.once('data', () => settle(true));
    for (const event of ['error', 'close', 'timeout']) socket.once(event, () => settle(false));
  });
