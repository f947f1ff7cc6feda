import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { createEmptyDatabase, createTestDatabase } from './database.js';
import type { TestDatabase } from './database.js';
import { TEST_API_KEY } from './fixed.js';
import { isReady, runToEnd, startApi, startWorker } from './processes.js';
import type { Api, Child } from './processes.js';
import { waitFor } from './wait.js';

/** Faults take seconds: signs of life are missed after two of them. */
const fast = {
  FLX_HEARTBEAT_SECONDS: '2',
  FLX_DISPATCH_TICK_MS: '200',
  FLX_SILENT_SECONDS: '2',
  FLX_SPLIT_BYTES: '100000',
  FLX_DRAIN_SECONDS: '5',
};

export interface Answer<T> {
  status: number;
  body: T;
  headers: Headers;
}

export interface RunBody {
  id: string;
  status: string;
  metrics: { rowsRead: number; rowsWritten: number; rowsFailed: number };
  error: { code: string; message: string; nodeId?: string } | null;
  warnings: string[];
  undo: { status: string; rowsRemoved: number | null; rowsMissing: number | null } | null;
}

export interface Service {
  settings: Record<string, string>;
  metadata: TestDatabase;
  target: TestDatabase;
  readonly api: Api;
  /** Another one in the place of one that was killed. */
  restartApi: () => Promise<void>;
  startWorker: (more?: Record<string, string>) => Promise<Child>;
  /** All that were started, however they are. */
  stopWorkers: () => Promise<void>;
  call: <T>(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ) => Promise<Answer<T>>;
  /** A connection to the target and a pipeline that loads rows of the source into a table. */
  pipeline: (source: object, table: string) => Promise<string>;
  start: (pipelineId: string, body?: object) => Promise<string>;
  ended: (runId: string, timeoutMs?: number) => Promise<RunBody>;
  drop: () => Promise<void>;
}

const caller =
  (url: () => string): Service['call'] =>
  async (method, path, body, headers = {}) => {
    const response = await fetch(url() + path, {
      method,
      headers: {
        authorization: `Bearer ${TEST_API_KEY}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(30_000),
    });
    const text = await response.text();
    return {
      status: response.status,
      body: (text === '' ? undefined : JSON.parse(text)) as never,
      headers: response.headers,
    };
  };

/** What a call answered, when it went well. */
export const ok = async <T>(answer: Promise<Answer<T>>): Promise<T> => {
  const { status, body } = await answer;
  if (status >= 300) throw new Error(`${status}: ${JSON.stringify(body)}`);
  return body;
};

export const tableNode = (connectionId: string, table: string) => ({
  id: 'table',
  type: 'destination.table',
  config: { connectionId, table, mode: 'append' },
});

export interface Databases {
  metadata: TestDatabase;
  target: TestDatabase;
}

/** On a server of the test's own, which goes with everything on it. */
export async function databasesOn(adminUrl: string): Promise<Databases> {
  const named = (name: string): TestDatabase => ({
    url: Object.assign(new URL(adminUrl), { pathname: `/${name}` }).href,
    drop: async () => undefined,
  });
  const databases = { metadata: named('metadata'), target: named('target') };
  for (const name of Object.keys(databases)) await query(adminUrl, `create database ${name}`);
  await runToEnd('dist/bin/migrate.js', {
    DATABASE_URL: databases.metadata.url,
    FLX_BOOTSTRAP_API_KEY: TEST_API_KEY,
  });
  return databases;
}

const sharedDatabases = async (): Promise<Databases> => ({
  metadata: await createTestDatabase(),
  target: await createEmptyDatabase(),
});

/** API over its own metadata, its own queues and an empty target database; workers as asked for. */
export async function startService(
  more: Record<string, string> = {},
  databases?: Databases,
): Promise<Service> {
  const { metadata, target } = databases ?? (await sharedDatabases());
  const directory = mkdtempSync(join(tmpdir(), 'fluxline-service-'));
  const settings = {
    ...fast,
    FLX_DATA_DIR: directory,
    FLX_LOCAL_DIRECTORIES: tmpdir(),
    DATABASE_URL: metadata.url,
    FLX_QUEUE_PREFIX: `t${randomBytes(4).toString('hex')}-`,
    ...more,
  };
  let api = await startApi(settings);
  const call = caller(() => api.url);
  const workers: Child[] = [];
  const worker = async (extra: Record<string, string> = {}): Promise<Child> => {
    const started = await startWorker({ ...settings, ...extra }, () => isReady(api.url));
    workers.push(started);
    return started;
  };

  const pipeline = async (source: object, table: string): Promise<string> => {
    const { hostname, port, username, password, pathname } = new URL(target.url);
    const name = `${table} ${randomBytes(4).toString('hex')}`;
    const project = await ok(call<{ id: string }>('POST', '/api/projects', { name }));
    const connection = await ok(
      call<{ id: string }>('POST', '/api/connections', {
        name,
        type: 'postgres',
        config: {
          host: hostname,
          port: Number(port),
          database: pathname.slice(1),
          user: username,
          password,
        },
      }),
    );
    const created = await ok(
      call<{ id: string }>('POST', '/api/pipelines', {
        name,
        projectId: project.id,
        nodes: [{ id: 'rows', ...source }, tableNode(connection.id, table)],
        edges: [{ id: 'load', source: 'rows', target: 'table' }],
      }),
    );
    return created.id;
  };

  const start = async (pipelineId: string, body?: object): Promise<string> =>
    (await ok(call<{ runId: string }>('POST', `/api/pipelines/${pipelineId}/run`, body))).runId;

  const ended = (runId: string, timeoutMs = 120_000): Promise<RunBody> =>
    waitFor(
      async () => {
        const run = await ok(call<RunBody>('GET', `/api/runs/${runId}`));
        return ['queued', 'running'].includes(run.status) ? undefined : run;
      },
      { timeoutMs, what: `run ${runId} to end` },
    );

  return {
    settings,
    metadata,
    target,
    get api() {
      return api;
    },
    restartApi: async () => {
      api = await startApi(settings);
    },
    startWorker: worker,
    stopWorkers: async () => {
      for (const one of workers.splice(0)) await one.kill('SIGKILL');
    },
    call,
    pipeline,
    start,
    ended,
    drop: async () => {
      await metadata.drop();
      await target.drop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Rows with a number of their own, so that a lost or doubled one shows. */
export const numbered = (rows: number) => ({
  type: 'source.generate',
  config: {
    rows,
    columns: [
      { name: 'id', generator: 'sequence' },
      { name: 'note', generator: 'text', minWords: 3, maxWords: 6 },
    ],
  },
});

export async function query<Row extends object>(
  url: string,
  sql: string,
  values: unknown[] = [],
): Promise<Row[]> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  await client.connect();
  try {
    return (await client.query<Row>(sql, values)).rows;
  } finally {
    await client.end();
  }
}

/** How many rows there are, how many different ones, and the ends of their numbers. */
export const countRows = async (url: string, table: string) => {
  const [row] = await query<{ rows: string; different: string; least: string; most: string }>(
    url,
    `select count(*) as rows, count(distinct id) as different, min(id) as least, max(id) as most from ${table}`,
  );
  return {
    rows: Number(row?.rows),
    different: Number(row?.different),
    least: Number(row?.least),
    most: Number(row?.most),
  };
};

export const exactly = (rows: number) => ({ rows, different: rows, least: 1, most: rows });

/**
 * Holds a lock that loads have to wait for: a run is then in the middle of its work for as long as
 * a test wants it to be.
 */
export async function holdTable(
  url: string,
  table: string,
  mode: 'access share' | 'share row exclusive' | 'access exclusive' = 'share row exclusive',
): Promise<{ someoneWaits: () => Promise<void>; release: () => Promise<void> }> {
  const holder = new Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  holder.on('error', () => undefined);
  await holder.connect();
  await holder.query(
    `create table if not exists ${table} (id bigint not null, note text not null)`,
  );
  await holder.query('begin');
  await holder.query(`lock table ${table} in ${mode} mode`);
  return {
    someoneWaits: async () => {
      await waitFor(
        async () => {
          const rows = await query(
            url,
            `select 1 from pg_locks where not granted and relation = $1::regclass`,
            [table],
          );
          return rows.length > 0;
        },
        { timeoutMs: 30_000, what: `a load to wait for ${table}` },
      );
    },
    release: async () => {
      await holder.query('rollback');
      await holder.end();
    },
  };
}
