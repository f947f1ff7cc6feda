/** Everything a measurement needs, private and gone afterwards. */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { freePort } from '../servers/ports.mjs';
import { startPostgres } from '../servers/postgres.mjs';
import { startTemporal } from '../servers/temporal.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

/** @param {string} file @param {NodeJS.ProcessEnv} env */
const run = async (file, env) => {
  const child = spawn(process.execPath, [path.join(root, file)], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output = (output + text).slice(-10_000);
  });
  return { child, output: () => output };
};

/** @param {() => Promise<boolean> | boolean} condition @param {string} what */
export const until = async (condition, what, seconds = 60, pollMs = 5) => {
  const end = performance.now() + seconds * 1000;
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(`${what} took longer than ${seconds} s`);
    await delay(pollMs);
  }
};

/** @param {NodeJS.ProcessEnv} settings */
export async function openStage(settings = {}) {
  const directory = await mkdtemp(path.join(tmpdir(), 'fluxline-bench-'));
  const stops = [() => rm(directory, { recursive: true, force: true })];
  const close = async () => {
    for (const stop of stops.reverse()) await stop();
  };
  try {
    const postgres = await startPostgres({
      directory: path.join(directory, 'postgres'),
      logFile: path.join(directory, 'postgres.log'),
    });
    stops.push(() => postgres.stop());
    const temporal = await startTemporal({
      dbFile: path.join(directory, 'temporal.db'),
      logFile: path.join(directory, 'temporal.log'),
    });
    stops.push(() => temporal.stop());

    const admin = new pg.Client({ connectionString: postgres.adminUrl });
    await admin.connect();
    for (const name of ['fluxline', 'target']) await admin.query(`create database ${name}`);
    await admin.end();
    const url = new URL(postgres.adminUrl);
    url.pathname = '/fluxline';
    const env = {
      DATABASE_URL: url.href,
      FLX_MASTER_KEY: randomBytes(32).toString('base64'),
      TEMPORAL_ADDRESS: temporal.address,
      FLX_HTTP_PORT: String(await freePort()),
      FLX_EGRESS_ALLOW_CIDRS: '127.0.0.0/8',
      FLX_MAX_CONCURRENT_RUNS: '1000',
      FLX_RATE_LIMITS: 'off',
      FLX_LOG_LEVEL: 'warn',
      FLX_DATA_DIR: path.join(directory, 'data'),
      FLX_LOCAL_DIRECTORIES: '/',
      ...settings,
    };

    const start = async (file, more = {}) => {
      const process = await run(file, { ...env, ...more });
      stops.push(async () => {
        process.child.kill('SIGKILL');
      });
      return process;
    };
    const migrate = await run('dist/bin/migrate.js', env);
    await once(migrate.child, 'exit');
    const apiKey = JSON.parse(migrate.output().trim().split('\n').at(-1) ?? '{}').apiKey;
    await start('dist/bin/api.js');
    const worker = await start('dist/bin/worker.js');
    const base = `http://127.0.0.1:${env.FLX_HTTP_PORT}`;
    await until(
      async () => (await fetch(`${base}/readyz`).catch(() => undefined))?.ok ?? false,
      'the service',
    );

    const api = async (method, route, body) => {
      const response = await fetch(base + route, {
        method,
        headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const answer = await response.json();
      if (!response.ok) throw new Error(`${method} ${route}: ${JSON.stringify(answer)}`);
      return answer;
    };
    return { base, apiKey, api, start, env, url, worker, temporal, close };
  } catch (error) {
    await close();
    throw error;
  }
}
