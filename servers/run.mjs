/**
 * One server in the foreground, for parents in any language:
 *   node servers/run.mjs azurite|fakeGcs|kafka|mariadb|minio|postgres|temporal '<options as JSON>'
 * Prints one line of JSON when the server is ready, another one should it end by itself, and stops
 * it on SIGTERM, SIGINT, or when standard input closes: a killed parent leaves no server behind.
 */
import { failureText, StartError } from './errors.mjs';
import { startAzurite } from './azurite.mjs';
import { startFakeGcs } from './fakeGcs.mjs';
import { startKafka } from './kafka.mjs';
import { startMariadb } from './mariadb.mjs';
import { startMinio } from './minio.mjs';
import { startPostgres } from './postgres.mjs';
import { startTemporal } from './temporal.mjs';

const STARTERS = {
  azurite: startAzurite,
  fakeGcs: startFakeGcs,
  kafka: startKafka,
  mariadb: startMariadb,
  minio: startMinio,
  postgres: startPostgres,
  temporal: startTemporal,
};

const leaving = new AbortController();
for (const event of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(event, () => leaving.abort());
process.stdin.on('close', () => leaving.abort());
process.stdin.resume();
process.stdout.on('error', () => leaving.abort());

/** @param {object} value */
const print = (value) => process.stdout.write(`${JSON.stringify(value)}\n`);

/**
 * @param {string | undefined} kind
 * @param {string | undefined} json
 */
async function run(kind, json = '{}') {
  const start = Object.entries(STARTERS).find(([name]) => name === kind)?.[1];
  if (!start) {
    throw new StartError(`Name the server to run: ${Object.keys(STARTERS).join(' or ')}.`);
  }
  const given = JSON.parse(json);
  const say = (/** @type {string} */ line) => process.stderr.write(`${line}\n`);
  const server = await start({ ...given, say, signal: leaving.signal });
  print({ kind, ...server });
  const left = new Promise((resolve) => {
    if (leaving.signal.aborted) resolve(null);
    leaving.signal.addEventListener('abort', () => resolve(null));
  });
  const exit = await Promise.race([server.exited, left]);
  if (exit) {
    print({ kind, ended: exit });
    return 1;
  }
  await server.stop();
  return 0;
}

run(process.argv[2], process.argv[3]).then(
  (code) => process.exit(code),
  (error) => {
    if (!leaving.signal.aborted) process.stderr.write(`${failureText(error)}\n`);
    process.exit(1);
  },
);
