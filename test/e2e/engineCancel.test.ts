/** A run stops whatever it is doing when it is cancelled, leaves what it should, and can be retried. */
import { stopChildren } from '../support/processes.js';
import { holdTable, ok, query, startService } from '../support/service.js';
import type { RunBody, Service } from '../support/service.js';
import { waitFor } from '../support/wait.js';
import { difference, makeOrders, same, workbench } from './support/graphs.js';
import type { Node, Workbench } from './support/graphs.js';

const rows = 5_000;

let service: Service;
let bench: Workbench;
let url: string;

beforeAll(async () => {
  service = await startService();
  await service.startWorker();
  bench = await workbench(service);
  url = service.target.url;
  await makeOrders(url, 'orders', rows);
  await query(url, 'create table before as select * from orders where id <= 10');
});

beforeEach(() =>
  query(
    url,
    'drop table if exists target; create table target (like orders); insert into target table before',
  ),
);

afterAll(async () => {
  await stopChildren();
  await service.drop();
});

const start = async (...nodes: Node[]): Promise<string> =>
  service.start(await bench.pipeline(nodes));

/** Cancels, and is told that it is over: nobody has let go of what the run waits for. */
const cancelled = async (runId: string): Promise<RunBody> => {
  await ok(service.call('DELETE', `/api/runs/${runId}`));
  const run = await service.ended(runId);
  expect(run).toMatchObject({ status: 'canceled' });
  return run;
};

const retried = async (runId: string): Promise<void> => {
  const { runId: again } = await ok(
    service.call<{ runId: string }>('POST', `/api/runs/${runId}/retry`),
  );
  expect(await service.ended(again)).toMatchObject({ status: 'succeeded', error: null });
};

test.each([
  ['its source is looked at', 'orders', 'access exclusive'],
  ['its splits are loaded', 'target', 'share row exclusive'],
] as const)('while %s', async (_, table, mode) => {
  const held = await holdTable(url, table, mode);
  const runId = await start(bench.source('orders'), bench.destination('target', 'append'));
  await held.someoneWaits();
  await cancelled(runId);
  await held.release();
  expect(await difference(url, 'before', 'target')).toEqual(same);
  await retried(runId);
  await query(url, 'create table wanted as table before union all table orders');
  expect(await difference(url, 'wanted', 'target')).toEqual(same);
  await query(url, 'drop table wanted');
});

test('while a replaced table waits to be swapped', async () => {
  const held = await holdTable(url, 'target', 'access share');
  const runId = await start(bench.source('orders'), bench.destination('target', 'replace'));
  await held.someoneWaits();
  await cancelled(runId);
  await held.release();
  expect(await difference(url, 'before', 'target')).toEqual(same);
  await retried(runId);
  expect(await difference(url, 'orders', 'target')).toEqual(same);
});

test('while DuckDB works on a query', async () => {
  const config = {
    sql: 'select count(*) as n from source a, source b, source c where a.id + b.id + c.id = 0',
  };
  const runId = await start(
    bench.source('orders'),
    { id: 'cross', type: 'transform.sql', config },
    bench.destination('counted', 'replace'),
  );
  await waitFor(
    async () =>
      (
        await query(
          service.metadata.url,
          `select 1 from job_splits where job_id = $1 and stage = 'cross' and status = 'running'`,
          [runId],
        )
      ).length > 0,
    { timeoutMs: 60_000, what: 'the query to run' },
  );
  await cancelled(runId);
  expect(await query(url, `select 1 where to_regclass('counted') is not null`)).toEqual([]);
});
