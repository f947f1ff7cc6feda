/** Queries read Parquet files where they lie. */
import { copyFile, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stopChildren } from '../support/processes.js';
import { holdTable, ok, query, startService } from '../support/service.js';
import type { RunBody, Service } from '../support/service.js';
import { difference, inARow, makeOrders, same, workbench } from './support/graphs.js';
import type { Edge, Node, Workbench } from './support/graphs.js';

const rows = 20_000;

let service: Service;
let bench: Workbench;
let url: string;
let directory: string;
let files: string;

const run = async (nodes: Node[], edges?: Edge[]): Promise<RunBody> =>
  service.ended(await service.start(await bench.pipeline(nodes, edges)));

/** Writes a table into files. */
const write = async (table: string): Promise<void> => {
  const config = { connectionId: files, path: table, format: 'parquet' };
  const there: Node = { id: 'files', type: 'destination.files', config };
  expect(await run([bench.source(table), there])).toMatchObject({ status: 'succeeded' });
};

beforeAll(async () => {
  service = await startService({ FLX_SPLIT_BYTES: '200000' });
  await service.startWorker();
  bench = await workbench(service);
  url = service.target.url;
  directory = await mkdtemp(join(tmpdir(), 'fluxline-e2e-'));
  files = await bench.connect('local', { directory });
  await makeOrders(url, 'orders', rows);
  await query(
    url,
    `create table customers as
       select 'customer ' || n as name, 'country ' || n % 7 as country from generate_series(0, 899) n;
     create table renamed as select id, customer as client from orders limit 10`,
  );
  await query(url, 'vacuum analyze');
  for (const table of ['orders', 'customers', 'renamed']) await write(table);
  expect((await readdir(join(directory, 'orders'))).length).toBeGreaterThan(2);
  await query(
    url,
    `create table wanted as
       select country, count(*) as orders, sum(amount) as amount
         from orders join customers on customer = name group by country`,
  );
});

afterAll(async () => {
  await stopChildren();
  await service.drop();
  await rm(directory, { recursive: true, force: true });
});

const parquet = (id: string, folder: string): Node => ({
  id,
  type: 'source.files',
  config: { connectionId: files, path: `${folder}/*.parquet` },
});

const perCountry = (table: string, orders = 'orders'): { nodes: Node[]; edges: Edge[] } => ({
  nodes: [
    parquet('orders', orders),
    parquet('customers', 'customers'),
    {
      id: 'join',
      type: 'transform.join',
      config: { kind: 'inner', on: [{ left: 'customer', right: 'name' }] },
    },
    {
      id: 'sum',
      type: 'transform.aggregate',
      config: {
        groupBy: ['country'],
        aggregates: [
          { name: 'orders', expression: 'count(*)' },
          { name: 'amount', expression: 'sum(amount)' },
        ],
      },
    },
    bench.destination(table, 'append'),
  ],
  edges: [
    { source: 'orders', target: 'join', targetPort: 'left' },
    { source: 'customers', target: 'join', targetPort: 'right' },
    { source: 'join', target: 'sum' },
    { source: 'sum', target: 'destination' },
  ],
});

const nodesOf = async ({ id }: RunBody) =>
  (
    await ok(
      service.call<{ nodes: { nodeId: string; metrics: object }[] }>(
        'GET',
        `/api/runs/${id}/nodes`,
      ),
    )
  ).nodes;

const retried = async ({ id }: RunBody): Promise<RunBody> => {
  const { runId } = await ok(service.call<{ runId: string }>('POST', `/api/runs/${id}/retry`, {}));
  return service.ended(runId);
};

test('reads files where they are, and counts what it reads of each', async () => {
  const { nodes, edges } = perCountry('joined');
  const done = await run(nodes, edges);
  expect(done).toMatchObject({ status: 'succeeded', error: null });
  expect(await difference(url, 'wanted', 'joined')).toEqual(same);
  expect(done.metrics).toMatchObject({ rowsRead: rows + 900, rowsWritten: 7, rowsFailed: 0 });
  expect(await nodesOf(done)).toMatchObject([
    { nodeId: 'orders', metrics: { rowsOut: rows } },
    { nodeId: 'customers', metrics: { rowsOut: 900 } },
    { nodeId: 'join', metrics: { rowsIn: rows + 900 } },
    { nodeId: 'sum', metrics: { rowsOut: 7 } },
    { nodeId: 'destination', metrics: { rowsIn: 7 } },
  ]);
  // Nothing but the answer was staged.
  const { lines } = await ok(
    service.call<{ lines: { message: string }[] }>('GET', `/api/runs/${done.id}/logs`),
  );
  const log = lines.map(({ message }) => message).join('\n');
  expect(log).toContain('Stage sum: orders → customers → join → sum, through DuckDB');
  expect(log).not.toContain('Stage orders');
});

test('refuses a file that changed after it was planned; a retry reads what is there then', async () => {
  const held = await holdTable(url, 'held_before');
  const { nodes, edges } = perCountry('joined_again');
  const sql = 'select id, customer as note from orders where id <= 10';
  const before: Node[] = [
    { id: 'few', type: 'source.query', config: { connectionId: bench.database, sql } },
    { ...bench.destination('held_before', 'append'), id: 'held' },
  ];
  const id = await service.start(
    await bench.pipeline([...before, ...nodes], [...inARow(...before), ...edges]),
  );
  try {
    await held.someoneWaits();
    const folder = join(directory, 'orders');
    const name = (await readdir(folder)).find((one) => one.endsWith('.parquet')) ?? '';
    await copyFile(join(folder, name), join(folder, 'same'));
    await rename(join(folder, 'same'), join(folder, name));
  } finally {
    await held.release();
  }
  const failed = await service.ended(id);
  expect(failed).toMatchObject({
    status: 'failed',
    error: { code: 'schema_drift', nodeId: 'orders' },
  });
  expect(failed.error?.message).toContain('changed after the run had begun');
  expect(await retried(failed)).toMatchObject({ status: 'succeeded', error: null });
  expect(await difference(url, 'wanted', 'joined_again')).toEqual(same);
  expect(await query(url, 'select * from held_before')).toHaveLength(10);
});

test('a retry refuses files that have other columns by then', async () => {
  await query(
    url,
    `create table drifting as select id, customer, amount from orders limit 10;
     create table checked (country text, orders bigint check (orders < 0), amount numeric)`,
  );
  await write('drifting');
  const { nodes, edges } = perCountry('checked', 'drifting');
  const failed = await run(nodes, edges);
  expect(failed).toMatchObject({ status: 'failed', error: { nodeId: 'destination' } });
  await query(url, 'alter table drifting add column note text');
  await write('drifting');
  expect(await retried(failed)).toMatchObject({
    status: 'failed',
    error: { code: 'schema_drift', nodeId: 'orders' },
  });
});

test('is bound to the columns that files have before a run begins', async () => {
  const { nodes, edges } = perCountry('never', 'renamed');
  const refused = await service.call<{ errors: { pointer: string; message: string }[] }>(
    'POST',
    `/api/pipelines/${await bench.pipeline(nodes, edges)}/run`,
  );
  expect(refused).toMatchObject({ status: 400, body: { code: 'invalid_graph' } });
  expect(refused.body.errors[0]).toMatchObject({ pointer: '/nodes/2' });
});
