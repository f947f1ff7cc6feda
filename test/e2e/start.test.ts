import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import {
  childEnv,
  freePortSettings,
  isReady,
  processExists,
  reachableDirectory,
  ROOT,
  startChild,
  stopChildren,
  type Child,
} from '../support/processes.js';
import { runModule } from '../support/runModule.js';
import { waitFor } from '../support/wait.js';

const execute = promisify(execFile);
const START_MS = 150_000;
const CHILDREN = ['api', 'postgres', 'temporal', 'worker'];

/** One installation: its data directory, ports, and the supervisor that runs at the moment. */
class Installation {
  readonly directory = path.join(reachableDirectory(), 'data');
  private settings: Record<string, string> = {};
  supervisor!: Child;

  get url(): string {
    return `http://127.0.0.1:${this.settings['FLX_HTTP_PORT'] ?? ''}`;
  }

  get env(): NodeJS.ProcessEnv {
    return childEnv({
      ...this.settings,
      FLX_DATA_DIR: this.directory,
      FLX_DEMO: '1',
      // Unset what the other tests' children share: this one makes its own servers and keys.
      FLX_MASTER_KEY: '',
      FLX_EGRESS_ALLOW_CIDRS: '',
      TEMPORAL_ADDRESS: '',
    });
  }

  async start(): Promise<void> {
    if (Object.keys(this.settings).length === 0) this.settings = await freePortSettings();
    this.supervisor = await startChild({
      script: 'bin/start.mjs',
      env: this.env,
      ready: (child) => child.output().includes('Fluxline is ready.'),
      timeoutMs: START_MS,
    });
  }

  read(file: string): string {
    return readFileSync(path.join(this.directory, file), 'utf8').trim();
  }

  pid(name: string): number {
    return Number(this.read(`run/${name}.pid`));
  }

  pids(): number[] {
    return CHILDREN.map((name) => this.pid(name));
  }

  /** Also after a failed test: nothing of this installation may outlive the file. */
  async remove(): Promise<void> {
    await runModule(
      `const { pathsIn, stopLeftovers } = await load('bin/start/data-directory.mjs');
      await stopLeftovers(pathsIn(args.directory), () => {});`,
      { directory: this.directory },
    );
    const pgdata = existsSync(path.join(this.directory, 'run/pgdata'))
      ? this.read('run/pgdata')
      : '';
    for (const left of [pgdata, path.dirname(this.directory)].filter(Boolean)) {
      rmSync(left, { recursive: true, force: true });
    }
  }
}

const first = new Installation();
const second = new Installation();

beforeAll(() => first.start(), START_MS);
afterAll(async () => {
  await stopChildren();
  await Promise.all([first.remove(), second.remove()]);
});

test('npm start ends with a service that is ready, and a line that works when pasted', async () => {
  expect(await isReady(first.url)).toBe(true);
  const output = first.supervisor.output();
  const key = first.read('api-key');
  expect(key).toMatch(/^flx_[0-9A-Za-z]{36}$/);
  expect(output.split(key)).toHaveLength(2); // once
  const pasted = output.split('\n').find((line) => line.trim().startsWith('curl ')) ?? '';
  const { stdout } = await execute('/bin/sh', ['-c', `${pasted} -o /dev/null -w '%{http_code}'`], {
    timeout: 30_000,
  });
  expect(stdout).toBe('200');
  expect(output).toMatch(/^Demo … loaded \(/m);
  // Whoever starts it on a machine should know that its pipelines may reach that machine.
  expect(output).toMatch(/^ {2}Reach .*127\.0\.0\.0\/8,::1\/128 \(FLX_EGRESS_ALLOW_CIDRS\)$/m);
});

test('keys, passwords and the administrator address are the owner’s alone; logs name none', () => {
  const secrets = ['api-key', 'master-key', 'postgres-password', 'database-password'];
  for (const file of [...secrets, 'run/database-url']) {
    expect(statSync(path.join(first.directory, file)).mode & 0o777).toBe(0o600);
  }
  for (const log of readdirSync(path.join(first.directory, 'logs'))) {
    const text = first.read(`logs/${log}`);
    for (const secret of secrets) expect(text.includes(first.read(secret))).toBe(false);
  }
});

test('run/database-url is the embedded server’s administrator', async () => {
  const client = new Client({ connectionString: first.read('run/database-url') });
  await client.connect();
  const { rows } = await client.query<{ administrator: boolean; service: boolean }>(
    `SELECT (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) AS administrator,
            (SELECT rolsuper FROM pg_roles WHERE rolname = 'fluxline') AS service`,
  );
  await client.end();
  expect(rows).toEqual([{ administrator: true, service: false }]);
});

test('a second start on the same directory names the process that uses it', async () => {
  const again = execute(process.execPath, [path.join(ROOT, 'bin', 'start.mjs')], {
    env: first.env,
    timeout: 60_000,
  });
  await expect(again).rejects.toMatchObject({
    code: 1,
    stderr: `${first.directory} is in use by process ${first.supervisor.pid}; stop that, or set FLX_DATA_DIR to another directory.\n`,
  });
  expect(await isReady(first.url)).toBe(true);
});

test(
  'another directory and other ports make another installation beside it',
  async () => {
    await second.start();
    expect(await isReady(first.url)).toBe(true);
    expect(await isReady(second.url)).toBe(true);
    expect(second.read('api-key')).not.toBe(first.read('api-key'));
    const pids = second.pids();
    expect((await second.supervisor.stop()).code).toBe(0);
    expect(await Promise.all(pids.map(processExists))).toEqual(CHILDREN.map(() => false));
    expect(await isReady(first.url)).toBe(true);
  },
  START_MS + 60_000,
);

test.each(CHILDREN)('a killed child is started again: %s', async (name) => {
  const killed = first.pid(name);
  process.kill(killed, 'SIGKILL');
  await waitFor(() => first.pid(name) !== killed, { timeoutMs: 30_000, what: `a new ${name}` });
  await waitFor(() => isReady(first.url), { timeoutMs: 60_000, what: 'the API to be ready' });
  expect(first.supervisor.output()).toContain(
    `${name} (process ${killed}) ended by SIGKILL; starting it again`,
  );
});

test(
  'what a killed supervisor left is stopped by the next start, which goes on in its place',
  async () => {
    const key = first.read('api-key');
    const orphans = first.pids();
    await first.supervisor.kill('SIGKILL');
    expect(await Promise.all(orphans.map(processExists))).toEqual(CHILDREN.map(() => true));
    const startedAt = Date.now();
    await first.start();
    expect(Date.now() - startedAt).toBeLessThan(30_000);
    expect(await isReady(first.url)).toBe(true);
    expect(await Promise.all(orphans.map(processExists))).toEqual(CHILDREN.map(() => false));
    expect(first.read('api-key')).toBe(key);
    expect(first.supervisor.output()).not.toContain(key);
    expect(first.supervisor.output()).toMatch(/^Demo … loaded before/m);
    const answer = await fetch(`${first.url}/api/projects`, {
      headers: { authorization: `Bearer ${key}` },
    });
    expect(answer.status).toBe(200);
  },
  START_MS + 60_000,
);

test('SIGTERM stops all of it, in order, and leaves no process', async () => {
  const pids = first.pids();
  const exit = await first.supervisor.stop();
  expect(exit).toEqual({ code: 0, signal: null });
  expect(await Promise.all(pids.map(processExists))).toEqual(CHILDREN.map(() => false));
  const stopped = [...first.supervisor.output().matchAll(/^Stopping (\w+) …/gm)].map(
    ([, name]) => name,
  );
  expect(stopped).toEqual(['worker', 'api', 'temporal', 'postgres']);
  expect(readdirSync(path.join(first.directory, 'run')).sort()).toEqual(['database-url', 'pgdata']);
  expect(existsSync(path.join(first.directory, 'lock'))).toBe(false);
});
