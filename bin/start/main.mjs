/**
 * `npm start`, in order: claim the data directory, clear what a killed start left, install, build,
 * start the servers, migrate, start the API and a worker, wait until ready, say so, supervise, stop.
 */
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { failureText } from '../../servers/errors.mjs';
import { readIfThere } from '../../servers/private-files.mjs';
import { findTemporal } from '../../servers/temporal.mjs';
import { prepareCheckout } from './build.mjs';
import { makeChildren } from './children.mjs';
import { claimDataDirectory, pathsIn, stopLeftovers } from './data-directory.mjs';
import { ensureDatabase, migrate } from './database.mjs';
import { loadDemo } from './demo.mjs';
import { masterKey, proposeApiKey, settleApiKey } from './keys.mjs';
import { keepRotating } from './log-rotation.mjs';
import { makeProgress } from './progress.mjs';
import { waitUntilReady } from './readiness.mjs';
import { checkPorts, localUrl, readSettings, REPOSITORY } from './settings.mjs';
import { listenForStop } from './signals.mjs';
import { STOP_ORDER } from './stopping.mjs';
import { summaryLines } from './summary.mjs';

/**
 * @typedef {import('./supervised.mjs').Supervised} Supervised
 * @typedef {import('./settings.mjs').Settings} Settings
 * @typedef {import('./data-directory.mjs').Paths} Paths
 * @typedef {import('./progress.mjs').Progress} Progress
 * @typedef {{settings: Settings, paths: Paths, progress: Progress, signal: AbortSignal,
 *   started: Map<string, Supervised>}} Run
 */

export async function main() {
  const progress = makeProgress(process.stdout, process.stderr);
  /** @type {Map<string, Supervised>} */
  const started = new Map();
  const launcherPid = process.env['npm_lifecycle_event'] ? process.ppid : undefined;
  const { leaving, whenLeaving } = listenForStop({
    launcherPid,
    onSecond: () => {
      progress.line('Killing what still runs');
      for (const child of started.values()) child.kill();
    },
  });
  const fail = (/** @type {unknown} */ error) => {
    if (leaving.signal.aborted) return; // what breaks off because of the stop
    progress.complain(failureText(error));
    process.exitCode = 1;
    leaving.abort();
  };
  process.on('uncaughtException', fail);

  /** @type {import('../../servers/lock.mjs').Lock | null} */
  let lock = null;
  try {
    const settings = readSettings(process.env);
    const paths = pathsIn(settings.dataDirectory);
    const options = { launcherPid, say: progress.line, signal: leaving.signal };
    lock = await claimDataDirectory(paths, options);
    await startAll({ settings, paths, progress, signal: leaving.signal, started });
    await whenLeaving;
  } catch (error) {
    fail(error);
  }
  await stopAll(started, progress, lock);
  process.exit();
}

/**
 * @param {Map<string, Supervised>} started
 * @param {Progress} progress
 * @param {import('../../servers/lock.mjs').Lock | null} lock
 */
async function stopAll(started, progress, lock) {
  lock?.announceStopping();
  for (const name of Object.keys(STOP_ORDER)) {
    const child = started.get(name);
    if (!child) continue;
    await progress
      .step(`Stopping ${name}`, () => child.stop())
      .catch((error) => {
        progress.complain(failureText(error));
        process.exitCode = 1;
      });
  }
  lock?.release();
}

/** @param {Run} run */
async function startAll(run) {
  const { settings, paths, progress, signal } = run;
  progress.keepIn(path.join(paths.logs, 'start.log'));
  keepRotating(paths.logs, signal);
  await stopLeftovers(paths, progress.line);
  await checkPorts(settings);
  const key = masterKey(paths, process.env);
  const place = { root: REPOSITORY, logFile: path.join(paths.logs, 'build.log'), signal };
  await prepareCheckout(place, progress);

  const { children, start } = supervision(run);
  const databaseUrl = await startDatabase(run, children, start);
  const temporal = await startTemporalServer(run, children, start);
  const env = childEnv(run, { databaseUrl, masterKey: key, temporalAddress: temporal.address });
  const { apiKey, isNew } = await migrateAndBootstrap(run, env);

  const apiUrl = localUrl(settings.http);
  const ours = [children.ours('api', env), children.ours('worker', env)];
  await progress.step('API and worker', async () => {
    for (const child of ours) await start(child);
    await waitUntilReady(apiUrl, { children: ours, logs: paths.logs, signal });
  });
  await demo(run, { env, apiUrl, apiKey });

  const keyFile = settings.postgresPort !== null && apiKey !== null ? paths.apiKey : null;
  const lines = summaryLines({
    apiUrl,
    basePrefix: settings.basePrefix,
    temporalUi: temporal.ui,
    dataDirectory: paths.root,
    egress: env['FLX_EGRESS_ALLOW_CIDRS'] ?? '',
    apiKey,
    isNewKey: isNew,
    keyFile,
  });
  process.stdout.write(`${lines.join('\n')}\n`); // not into the log: it may show the key
}

/** @param {Run} run */
function supervision({ paths, progress, signal, started }) {
  const surroundings = { runDirectory: paths.run, say: progress.line, leaving: signal };
  /** @param {Supervised} child */
  const start = async (child) => {
    signal.throwIfAborted();
    started.set(child.definition.name, child);
    await child.start();
  };
  return { children: makeChildren(paths, surroundings), start };
}

/**
 * @typedef {ReturnType<typeof makeChildren>} Children
 * @typedef {(child: Supervised) => Promise<void>} Start
 */

/**
 * @param {Run} run
 * @param {Children} children
 * @param {Start} start
 * @returns {Promise<string>}
 */
async function startDatabase({ settings, paths, progress }, children, start) {
  const { postgresPort } = settings;
  if (postgresPort === null) return process.env['DATABASE_URL'] ?? '';
  let databaseUrl = '';
  await progress.step('PostgreSQL', async () => {
    await start(children.postgres(postgresPort));
    const adminUrl = (readIfThere(paths.databaseUrl) ?? '').trim();
    databaseUrl = await ensureDatabase({ adminUrl, passwordFile: paths.databasePassword });
  });
  return databaseUrl;
}

/**
 * @param {Run} run
 * @param {Children} children
 * @param {Start} start
 * @returns {Promise<{address: string, ui: string | null}>}
 */
async function startTemporalServer({ settings, progress, signal }, children, start) {
  const { temporalPorts, namespace } = settings;
  if (temporalPorts === null) return { address: process.env['TEMPORAL_ADDRESS'] ?? '', ui: null };
  const program = await findTemporal({ say: progress.line, signal });
  await progress.step('Temporal', () =>
    start(children.temporal({ ...temporalPorts, program, namespace })),
  );
  return {
    address: `127.0.0.1:${temporalPorts.port}`,
    ui: `http://127.0.0.1:${temporalPorts.uiPort}/namespaces/${namespace}`,
  };
}

/**
 * @param {Run} run
 * @param {NodeJS.ProcessEnv} env
 */
async function migrateAndBootstrap({ settings, paths, progress, signal }, env) {
  const embedded = settings.postgresPort !== null;
  const keptBefore = readIfThere(paths.apiKey) !== null;
  const proposed = embedded ? proposeApiKey(paths, process.env) : undefined;
  /** @type {{apiKey: string | null, isNew: boolean}} */
  let outcome = { apiKey: null, isNew: false };
  await progress.step('Migrations', async () => {
    const result = await migrate({
      root: REPOSITORY,
      env: { ...env, ...(proposed !== undefined && { FLX_BOOTSTRAP_API_KEY: proposed }) },
      signal,
    });
    outcome =
      proposed === undefined
        ? { apiKey: result.apiKey ?? null, isNew: result.bootstrapped }
        : settleApiKey(paths, result, { proposed, keptBefore });
  });
  return outcome;
}

/**
 * @param {Run} run
 * @param {{databaseUrl: string, masterKey: string, temporalAddress: string}} made
 * @returns {NodeJS.ProcessEnv}
 */
function childEnv({ settings, paths }, { databaseUrl, masterKey, temporalAddress }) {
  const embedded = settings.postgresPort !== null;
  return {
    ...(embedded && { FLX_EGRESS_ALLOW_CIDRS: '127.0.0.0/8,::1/128' }),
    FLX_STAGING_URL: pathToFileURL(paths.staging).href,
    // On one's own machine one may read one's own files.
    ...(embedded && { FLX_LOCAL_DIRECTORIES: '/' }),
    ...withoutEmpty(process.env),
    DATABASE_URL: databaseUrl,
    FLX_MASTER_KEY: masterKey,
    TEMPORAL_ADDRESS: temporalAddress,
    TEMPORAL_NAMESPACE: settings.namespace,
    FLX_HTTP_HOST: settings.http.host,
    FLX_HTTP_PORT: String(settings.http.port),
    FLX_DATA_DIR: paths.root,
  };
}

/**
 * An empty variable is an unset one.
 * @param {NodeJS.ProcessEnv} env
 */
const withoutEmpty = (env) =>
  Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));

/**
 * @param {Run} run
 * @param {{env: NodeJS.ProcessEnv, apiUrl: string, apiKey: string | null}} made
 */
async function demo({ settings, paths, progress, signal }, { env, apiUrl, apiKey }) {
  // It needs a server of its own to put its tables on, and a key.
  if (!settings.demo || settings.postgresPort === null || apiKey === null) return;
  await progress.step('Demo', () =>
    loadDemo({
      root: REPOSITORY,
      markFile: paths.demoMark,
      logFile: path.join(paths.logs, 'demo.log'),
      signal,
      env: {
        ...env,
        FLX_API_URL: apiUrl,
        FLX_API_KEY: apiKey,
        FLX_DEMO_ADMIN_URL: (readIfThere(paths.databaseUrl) ?? '').trim(),
      },
    }),
  );
}
