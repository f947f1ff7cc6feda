/**
 * Finds the jars of a Kafka broker and its tools, or gets them: KAFKA_LIBS, PATH, the user's cache,
 * Maven (with whatever repositories it is set up for) into that cache.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, realpathSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { StartError } from '../errors.mjs';
import { cacheDirectory, installInto, placesOnPath } from '../install.mjs';

const VERSION = '4.1.0';
const ARTIFACTS = [
  ['org.apache.kafka', 'kafka_2.13', VERSION],
  ['org.apache.kafka', 'kafka-tools', VERSION],
  ['org.apache.logging.log4j', 'log4j-slf4j-impl', '2.24.3'],
  ['org.apache.logging.log4j', 'log4j-core', '2.24.3'],
];
const PACKAGES = ['maven', 'default-jre-headless'];

/**
 * @typedef {object} FindOptions
 * @property {NodeJS.ProcessEnv} [env]
 * @property {(line: string) => void} [say]
 * @property {AbortSignal} [signal]
 */

/**
 * @param {FindOptions} [options]
 * @returns {Promise<string>} the directory that they are in
 */
export async function findKafka({ env = process.env, say = () => {}, signal } = {}) {
  const given = env['KAFKA_LIBS'];
  if (given) {
    if (hasBroker(given)) return told(given, 'from KAFKA_LIBS', say);
    throw new StartError(`KAFKA_LIBS (${given}) holds no Kafka broker; correct its path.`);
  }
  const onPath = placesOnPath('kafka-server-start.sh', env)
    .filter((script) => existsSync(script))
    .map((script) => path.join(path.dirname(realpathSync(script)), '..', 'libs'))
    .find(hasBroker);
  if (onPath) return told(onPath, 'from PATH', say);
  const cached = cacheDirectory(`kafka-${VERSION}`, env);
  if (hasBroker(cached)) return told(cached, 'from the cache', say);
  say(`Kafka: fetching it once with Maven into ${cached}`);
  const reason = await installInto(
    cached,
    async (draft, run) => {
      if (spawnSync('mvn', ['--version'], { env, timeout: 60_000 }).status !== 0) {
        say(`Kafka: installing ${PACKAGES.join(', ')}`);
        await run('apt-get', ['install', '-y', ...PACKAGES]);
      }
      writeFileSync(path.join(draft, 'pom.xml'), project());
      const libs = path.join(draft, 'libs');
      const options = ['-q', '-B', '-ntp', `-DoutputDirectory=${libs}`];
      await run('mvn', [...options, 'dependency:copy-dependencies']);
      return libs;
    },
    env,
    signal,
  );
  if (reason === null && hasBroker(cached)) return told(cached, 'from the cache', say);
  signal?.throwIfAborted();
  throw new StartError(
    `Kafka was not found and could not be fetched (${reason ?? 'what came is no broker'}): apt-get install -y ${PACKAGES.join(' ')}, or set KAFKA_LIBS to the libs directory of a Kafka.`,
  );
}

/**
 * @param {string} directory
 * @param {string} from
 * @param {(line: string) => void} say
 */
function told(directory, from, say) {
  say(`Kafka: ${directory}, ${from}`);
  return directory;
}

/** @param {string} directory */
function hasBroker(directory) {
  if (!existsSync(directory)) return false;
  const names = readdirSync(directory);
  return ['kafka_2.13-', 'kafka-tools-'].every((start) =>
    names.some((name) => name.startsWith(start) && name.endsWith('.jar')),
  );
}

/** What Maven reads: nothing but what is wanted, wherever it is to come from. */
function project() {
  const wanted = ARTIFACTS.map(
    ([group, artifact, version]) =>
      `<dependency><groupId>${group}</groupId><artifactId>${artifact}</artifactId><version>${version}</version></dependency>`,
  );
  return `<project><modelVersion>4.0.0</modelVersion><groupId>fluxline</groupId><artifactId>kafka</artifactId><version>1</version><packaging>pom</packaging><dependencies>${wanted.join('')}</dependencies></project>\n`;
}
