import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, chmodSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { handedOver } from './environment.js';
import { TEST_MASTER_KEY } from './fixed.js';
import { runModule } from './runModule.js';
import { startServer, type ServerKinds, type ServerProcess } from './serverProcess.js';
import { waitFor } from './wait.js';

export const ROOT = path.join(__dirname, '..', '..');
const EXIT_WITH_PARENT = path.join(__dirname, 'exitWithParent.mjs');
const STOP_TIMEOUT_MS = 60_000;

export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

export interface Child {
  readonly pid: number;
  readonly exited: Promise<Exit>;
  /** Standard output and standard error so far, as they came. */
  output: () => string;
  kill: (signal: NodeJS.Signals) => Promise<Exit>;
  /** SIGTERM, and SIGKILL after a minute. */
  stop: () => Promise<Exit>;
}

const started = new Set<Child>();

/** For `afterAll` or `afterEach`: ends every child that this test file started. */
export async function stopChildren(): Promise<void> {
  await Promise.all([...started].map((child) => child.stop()));
}

interface ChildOptions {
  /** Relative to the repository, e.g. `dist/bin/worker.js`. */
  script: string;
  args?: string[];
  env: NodeJS.ProcessEnv;
  ready: (child: Child) => boolean | Promise<boolean>;
  timeoutMs?: number;
}

/** Starts a script of ours and waits for the condition that makes it usable. */
export async function startChild({
  script,
  args = [],
  env,
  ready,
  timeoutMs = 60_000,
}: ChildOptions): Promise<Child> {
  const spawned = spawn(
    process.execPath,
    ['--enable-source-maps', '--import', EXIT_WITH_PARENT, path.join(ROOT, script), ...args],
    { cwd: ROOT, env, stdio: ['pipe', 'pipe', 'pipe'] },
  );
  const child = watch(spawned);
  started.add(child);
  const hasEnded = () => spawned.exitCode !== null || spawned.signalCode !== null;
  void child.exited.then(() => started.delete(child));
  try {
    await waitFor(() => hasEnded() || ready(child), {
      timeoutMs,
      what: `${script} to be ready`,
    });
  } catch (error) {
    await child.kill('SIGKILL');
    throw new Error(`${String(error)}; it printed:\n${child.output()}`, { cause: error });
  }
  if (hasEnded()) {
    const exit = JSON.stringify(await child.exited);
    throw new Error(`${script} ended (${exit}); it printed:\n${child.output()}`);
  }
  return child;
}

function watch(spawned: ChildProcess): Child {
  let output = '';
  for (const stream of [spawned.stdout, spawned.stderr]) {
    stream?.on('data', (chunk: Buffer) => (output += chunk.toString('utf8')));
  }
  const exited = new Promise<Exit>((resolve) => {
    spawned.once('close', (code, signal) => resolve({ code, signal }));
  });
  const kill = async (signal: NodeJS.Signals): Promise<Exit> => {
    spawned.kill(signal);
    return exited;
  };
  return {
    pid: spawned.pid ?? 0,
    exited,
    output: () => output,
    kill,
    stop: async () => {
      const limit = setTimeout(() => spawned.kill('SIGKILL'), STOP_TIMEOUT_MS);
      const exit = await kill('SIGTERM');
      clearTimeout(limit);
      return exit;
    },
  };
}

/**
 * The environment of a child of the build: nothing of the developer's own settings, the test's
 * Temporal server where there is one.
 */
export function childEnv(settings: Record<string, string>): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(FLX_|TEMPORAL_|OPENLINEAGE_|JEST_|PG|DATABASE_URL$|NODE_ENV$|npm_)/.test(name),
  );
  const temporal = process.env['FLX_TEST_TEMPORAL_ADDRESS'];
  return {
    ...Object.fromEntries(inherited),
    TZ: 'UTC',
    FLX_RATE_LIMITS: 'off',
    FLX_MASTER_KEY: TEST_MASTER_KEY,
    FLX_EGRESS_ALLOW_CIDRS: '127.0.0.0/8,::1/128',
    ...(temporal !== undefined && { TEMPORAL_ADDRESS: temporal, TEMPORAL_NAMESPACE: 'default' }),
    ...settings,
  };
}

/** A script of ours that ends by itself, well. */
export async function runToEnd(script: string, settings: Record<string, string>): Promise<void> {
  await promisify(execFile)(process.execPath, [path.join(ROOT, script)], {
    env: childEnv(settings),
    timeout: 120_000,
  });
}

export interface Api extends Child {
  readonly url: string;
}

/** The API of the build, answering. Give DATABASE_URL and FLX_QUEUE_PREFIX. */
export async function startApi(settings: Record<string, string>): Promise<Api> {
  const port = settings['FLX_HTTP_PORT'] ?? String(await freePort());
  const url = `http://127.0.0.1:${port}`;
  const child = await startChild({
    script: 'dist/bin/api.js',
    env: childEnv({ ...settings, FLX_HTTP_PORT: port }),
    ready: async () => (await fetch(`${url}/healthz`)).ok,
  });
  return { ...child, url };
}

/**
 * A worker of the build. When it is ready depends on what the test needs of it: mostly `isReady` of
 * an API on the same database and queue prefix.
 */
export async function startWorker(
  settings: Record<string, string>,
  ready: ChildOptions['ready'],
  args: string[] = [],
): Promise<Child> {
  return startChild({ script: 'dist/bin/worker.js', args, env: childEnv(settings), ready });
}

/** Whether the API at this address finds everything it needs, workers included. */
export async function isReady(url: string): Promise<boolean> {
  return (await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(5_000) })).status === 200;
}

/** A server of this test's own, for faults that would disturb the others. */
export async function startOwnServer<Kind extends keyof ServerKinds>(
  kind: Kind,
  options: Record<string, unknown> = {},
): Promise<ServerProcess<ServerKinds[Kind]> & { directory: string; remove: () => Promise<void> }> {
  const directory = reachableDirectory();
  const server = await startServer(kind, {
    logFile: path.join(directory, `${kind}.log`),
    ...(kind === 'postgres'
      ? { directory: path.join(directory, 'postgres'), settings: { fsync: 'off' } }
      : { dbFile: path.join(directory, 'temporal.db') }),
    ...options,
  }).catch((error: unknown) => {
    rmSync(directory, { recursive: true, force: true });
    throw error;
  });
  return {
    ...server,
    directory,
    remove: async () => {
      await server.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** A new directory that PostgreSQL's user can enter, too, when root runs the tests. */
export function reachableDirectory(): string {
  const directory = mkdtempSync(path.join(os.tmpdir(), 'fluxline-test-'));
  chmodSync(directory, 0o755);
  return directory;
}

/** What `npm start` needs to run beside everything else on this machine. */
export async function freePortSettings(): Promise<Record<string, string>> {
  const names = ['HTTP', 'POSTGRES', 'TEMPORAL', 'TEMPORAL_UI'].map((name) => `FLX_${name}_PORT`);
  const ports = await Promise.all(names.map(freePort));
  return Object.fromEntries(names.map((name, index) => [name, String(ports[index])]));
}

/** False for a zombie, too. */
export async function processExists(pid: number): Promise<boolean> {
  return runModule(
    `const { processIdentity } = await load('servers/processes.mjs');
    return processIdentity(args.pid) !== null;`,
    { pid },
  );
}

export async function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => {
        if (address !== null && typeof address !== 'string') resolve(address.port);
        else reject(new Error('no port was assigned'));
      });
    });
  });
}

/** The test servers' Temporal address, for clients of the test itself. */
export const temporalAddress = (): string => handedOver('FLX_TEST_TEMPORAL_ADDRESS');
