import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';

/**
 * The example of the README: a database of its own on the embedded server, a project with a
 * pipeline that makes orders and customers, loads the orders, and joins and sums them up per country;
 * run once. Speaks HTTP like any other client.
 */
const database = 'demo';
const rows = 100_000;
const giveUpAfterMs = 120_000;

const required = (name: string): string => {
  const value = process.env[name];
  if (value) return value;
  throw new Error(`${name} is not set`);
};

const makeDatabase = async (adminUrl: string): Promise<Record<string, unknown>> => {
  const password = randomBytes(18).toString('base64url');
  const admin = new pg.Client({ connectionString: adminUrl, connectionTimeoutMillis: 10_000 });
  await admin.connect();
  try {
    const { rowCount } = await admin.query('select 1 from pg_roles where rolname = $1', [database]);
    const verb = rowCount ? 'alter' : 'create';
    await admin.query(`${verb} role ${database} login password '${password}'`);
    const there = await admin.query('select 1 from pg_database where datname = $1', [database]);
    if (!there.rowCount) await admin.query(`create database ${database} owner ${database}`);
    return { host: admin.host, port: admin.port, database, user: database, password };
  } finally {
    await admin.end();
  }
};

const makeApi = (url: string, key: string) => {
  const call = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(30_000),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return JSON.parse(text) as T;
  };
  return {
    get: <T>(path: string) => call<T>('GET', path),
    post: <T>(path: string, body?: unknown) => call<T>('POST', path, body),
    patch: <T>(path: string, body: unknown) => call<T>('PATCH', path, body),
  };
};

type Api = ReturnType<typeof makeApi>;

const customers = 1_000;

const salesGraph = (connectionId: string) => {
  const table = (id: string, name: string, x: number, y: number) => ({
    id,
    type: 'destination.table',
    position: { x, y },
    config: { connectionId, table: name, mode: 'replace' },
  });
  return {
    nodes: [
      {
        id: 'orders',
        type: 'source.generate',
        position: { x: 0, y: 0 },
        config: {
          rows,
          seed: 7,
          columns: [
            { name: 'id', generator: 'sequence', start: 1 },
            { name: 'customer_id', generator: 'integer', min: 1, max: customers },
            {
              name: 'status',
              generator: 'choice',
              values: ['paid', 'shipped', 'returned'],
              weights: [70, 25, 5],
            },
            { name: 'amount', generator: 'decimal', precision: 10, scale: 2, min: 1, max: 999 },
            {
              name: 'ordered_at',
              generator: 'timestamp',
              from: '2026-01-01T00:00:00Z',
              to: '2026-11-21T00:00:00Z',
            },
          ],
        },
      },
      {
        id: 'customers',
        type: 'source.generate',
        position: { x: 0, y: 200 },
        config: {
          rows: customers,
          seed: 11,
          columns: [
            { name: 'id', generator: 'sequence', start: 1 },
            { name: 'name', generator: 'name' },
            {
              name: 'country',
              generator: 'choice',
              values: ['Brazil', 'France', 'India', 'Japan', 'Kenya'],
            },
          ],
        },
      },
      {
        id: 'kept',
        type: 'transform.filter',
        position: { x: 240, y: 100 },
        config: { where: "status <> 'returned'" },
      },
      {
        id: 'with-customer',
        type: 'transform.join',
        position: { x: 480, y: 150 },
        config: { kind: 'inner', on: [{ left: 'customer_id', right: 'id' }] },
      },
      {
        id: 'per-country',
        type: 'transform.aggregate',
        position: { x: 720, y: 150 },
        config: {
          groupBy: ['country'],
          aggregates: [
            { name: 'orders', expression: 'count(*)' },
            { name: 'revenue', expression: 'sum(amount)' },
          ],
        },
      },
      table('warehouse', 'orders', 240, 0),
      table('report', 'revenue_per_country', 960, 150),
    ],
    edges: [
      { id: 'load', source: 'orders', target: 'warehouse' },
      { id: 'keep', source: 'orders', target: 'kept' },
      { id: 'left', source: 'kept', target: 'with-customer', targetPort: 'left' },
      { id: 'right', source: 'customers', target: 'with-customer', targetPort: 'right' },
      { id: 'sum', source: 'with-customer', target: 'per-country' },
      { id: 'show', source: 'per-country', target: 'report' },
    ],
  };
};

const finished = async (
  api: Api,
  runId: string,
): Promise<{ status: string; metrics: { rowsWritten: number } }> => {
  const end = performance.now() + giveUpAfterMs;
  for (;;) {
    const run = await api.get<{ status: string; metrics: { rowsWritten: number } }>(
      `/api/runs/${runId}`,
    );
    if (run.status !== 'queued' && run.status !== 'running') return run;
    if (performance.now() > end) throw new Error(`Run ${runId} is still ${run.status}.`);
    await delay(200);
  }
};

const run = async (): Promise<void> => {
  const api = makeApi(required('FLX_API_URL'), required('FLX_API_KEY'));
  const config = await makeDatabase(required('FLX_DEMO_ADMIN_URL'));
  const project = await api.post<{ id: string }>('/api/projects', {
    name: 'Demo shop',
    description: 'Made orders, loaded into PostgreSQL and summed up per country.',
  });
  const connection = await api.post<{ id: string }>('/api/connections', {
    name: 'Demo warehouse',
    type: 'postgres',
    config,
  });
  const pipeline = await api.post<{ id: string }>('/api/pipelines', {
    name: 'Orders and revenue',
    projectId: project.id,
    ...salesGraph(connection.id),
  });
  await api.patch(`/api/pipelines/${pipeline.id}/status`, { status: 'active' });
  const { runId } = await api.post<{ runId: string }>(`/api/pipelines/${pipeline.id}/run`);
  const { status, metrics } = await finished(api, runId);
  console.log(
    `Demo: run ${runId} ${status}, ${metrics.rowsWritten} rows in orders and revenue_per_country.`,
  );
  if (status !== 'succeeded') process.exitCode = 1;
};

run().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
