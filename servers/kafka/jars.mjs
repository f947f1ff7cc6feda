/**
 * Finds the jars of a Kafka broker and its tools, or gets them: KAFKA_LIBS, PATH, the user's cache,
 * Maven (with whatever repositories it is set up for) into that cache.
 */
import { spawn, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { StartError } from '../errors.mjs';

const VERSION = '4.1.0';
const ARTIFACTS = [
  ['org.apache.kafka', 'kafka_2.13', VERSION],
  ['org.apache.kafka', 'kafka-tools', VERSION],
  ['org.apache.logging.log4j', 'log4j-slf4j-impl', '2.24.3'],
  ['org.apache.logging.log4j', 'log4j-core', '2.24.3'],
];
const PACKAGES = ['maven', 'default-jre-headless'];
const STEP_TIMEOUT_MS = 10 * 60_000;

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
  const onPath = (env['PATH'] ?? '')
    .split(path.delimiter)
    .filter((directory) => path.isAbsolute(directory))
    .map((directory) => path.join(directory, 'kafka-server-start.sh'))
    .filter((script) => existsSync(script))
    .map((script) => path.join(path.dirname(realpathSync(script)), '..', 'libs'))
    .find(hasBroker);
  if (onPath) return told(onPath, 'from PATH', say);
  const cached = cacheDirectory(env);
  if (hasBroker(cached)) return told(cached, 'from the cache', say);
  say(`Kafka: fetching it once with Maven into ${cached}`);
  const reason = await fetchJars(cached, env, say, signal);
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

/** @param {NodeJS.ProcessEnv} env */
function cacheDirectory(env) {
  const base = env['XDG_CACHE_HOME'] || path.join(env['HOME'] || os.homedir(), '.cache');
  return path.join(base, 'fluxline', `kafka-${VERSION}`);
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

/**
 * Into a directory of its own, which gets its name when it is whole.
 * @param {string} directory
 * @param {NodeJS.ProcessEnv} env
 * @param {(line: string) => void} say
 * @param {AbortSignal | undefined} signal
 * @returns {Promise<string | null>} why it did not work
 */
async function fetchJars(directory, env, say, signal) {
  mkdirSync(path.dirname(directory), { recursive: true });
  const draft = mkdtempSync(`${directory}-draft-`);
  try {
    const steps = { cwd: draft, env, signal };
    if (spawnSync('mvn', ['--version'], { env, timeout: 60_000 }).status !== 0) {
      say(`Kafka: installing ${PACKAGES.join(', ')}`);
      await run('apt-get', ['install', '-y', ...PACKAGES], steps);
    }
    writeFileSync(path.join(draft, 'pom.xml'), project());
    const libs = path.join(draft, 'libs');
    const options = ['-q', '-B', '-ntp', `-DoutputDirectory=${libs}`];
    await run('mvn', [...options, 'dependency:copy-dependencies'], steps);
    // Somebody else may have been as quick.
    if (!existsSync(directory)) renameSync(libs, directory);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/**
 * @param {string} command
 * @param {string[]} args
 * @param {{cwd: string, env: NodeJS.ProcessEnv, signal?: AbortSignal | undefined}} options
 * @returns {Promise<void>}
 */
function run(command, args, { cwd, env, signal }) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: STEP_TIMEOUT_MS,
      ...(signal && { signal }),
    });
    let complaint = '';
    // Maven complains on its standard output.
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => (complaint = `${complaint}${String(chunk)}`.slice(-2000)));
    }
    child.once('error', reject);
    child.once('close', (code) => {
      const line = complaint.trim().split('\n').at(-1) ?? '';
      if (code === 0) resolve();
      else reject(new Error(line || `${command} ended with ${code ?? 'a signal'}`));
    });
  });
}
