import { stopChildren } from '../support/processes.js';
import { ok, query, startService } from '../support/service.js';
import type { RunBody, Service } from '../support/service.js';
import { difference, makeOrders, same, workbench } from './support/graphs.js';
import type { Workbench } from './support/graphs.js';
import { untilCommitted } from './support/progress.js';

const rows = 100_000;
/** About twenty splits. */
const splitBytes = '400000';

let service: Service;
let bench: Workbench;
let url: string;

beforeAll(async () => {
  service = await startService({ FLX_SPLIT_BYTES: splitBytes });
  bench = await workbench(service);
  url = service.target.url;
  await makeOrders(url, 'orders', rows);
  await query(url, 'vacuum analyze orders');
});

// What a failed test has left running is not to help the next one.
afterEach(() => service.stopWorkers());

afterAll(async () => {
  await stopChildren();
  await service.drop();
});

interface ModeCase {
  mode: string;
  more: object;
  /** What the target holds before, as a query over the orders. */
  before: string;
  /** What it has to hold in the end. */
  after: string;
  written: number;
}

const renamed = `id + ${rows / 2} as id, 'old' as customer, amount, paid, ordered_at, note`;

const modes: ModeCase[] = [
  {
    mode: 'append',
    more: {},
    before: `select ${renamed} from orders where id <= 10`,
    after: `select * from before union all select * from orders`,
    written: rows,
  },
  {
    mode: 'replace',
    more: {},
    before: `select ${renamed} from orders where id <= 1000`,
    after: 'select * from orders',
    written: rows,
  },
  {
    mode: 'upsert',
    more: { keys: ['id'] },
    // Half of them there with other values, and some that nobody sends.
    before: `select ${renamed} from orders`,
    after: `select * from orders union all select * from before where id > ${rows}`,
    written: rows,
  },
  {
    mode: 'delete',
    more: { keys: ['id'] },
    before: `select ${renamed} from orders`,
    after: `select * from before where id > ${rows}`,
    written: rows / 2,
  },
];

/** A fresh target as the mode wants to find it, and what is to become of it. */
const makeTarget = async ({ mode, before, after }: ModeCase): Promise<void> => {
  const key =
    mode === 'upsert' || mode === 'delete' ? 'alter table target add primary key (id);' : '';
  await query(
    url,
    `drop table if exists target, before, wanted;
     create table before as ${before};
     create table wanted as ${after};
     create table target (like orders); ${key}
     insert into target select * from before; analyze target`,
  );
  await query(url, 'drop schema if exists _fluxline cascade');
};

const startRun = async ({ mode, more }: ModeCase): Promise<string> =>
  service.start(
    await bench.pipeline([bench.source('orders'), bench.destination('target', mode, more)]),
  );

describe.each(modes)('$mode', (one) => {
  test.each([0, 0.4, 1])('a worker killed with %d of the splits committed', async (part) => {
    await makeTarget(one);
    const worker = await service.startWorker();
    const runId = await startRun(one);
    await untilCommitted(service, runId, part);
    await worker.kill('SIGKILL');
    const next = await service.startWorker();
    expect(await service.ended(runId)).toMatchObject({
      status: 'succeeded',
      error: null,
      metrics: {
        rowsRead: rows,
        // A stage that starts over does not find again what it has deleted already.
        ...(one.mode === 'delete' ? {} : { rowsWritten: one.written }),
        rowsFailed: 0,
      },
    });
    expect(await difference(url, 'wanted', 'target')).toEqual(same);
    await next.stop();
  });

  test('cancelled in the middle, then retried: as if nothing had been', async () => {
    await makeTarget(one);
    const worker = await service.startWorker();
    const runId = await startRun(one);
    await untilCommitted(service, runId, 0.3);
    await service.call('DELETE', `/api/runs/${runId}`);
    const { status } = await service.ended(runId);
    if (one.mode === 'replace' && status === 'canceled') {
      expect(await difference(url, 'before', 'target')).toEqual(same);
    }
    if (status === 'canceled') {
      const { runId: retried } = await ok(
        service.call<{ runId: string }>('POST', `/api/runs/${runId}/retry`),
      );
      expect(await service.ended(retried)).toMatchObject({ status: 'succeeded', error: null });
    }
    expect(await difference(url, 'wanted', 'target')).toEqual(same);
    await worker.stop();
  });
});

test('an API that is killed in the middle is missed by nobody', async () => {
  const [append] = modes;
  if (!append) throw new Error('no mode');
  await makeTarget(append);
  const worker = await service.startWorker();
  const runId = await startRun(append);
  await untilCommitted(service, runId, 0.2);
  await service.api.kill('SIGKILL');
  await untilCommitted(service, runId, 1);
  await service.restartApi();
  expect(await service.ended(runId)).toMatchObject({ status: 'succeeded' });
  expect(await difference(url, 'wanted', 'target')).toEqual(same);
  await worker.stop();
});

describe('rows that the table refuses', () => {
  const bad = rows / 100;
  const append = (more: object): ModeCase => ({
    mode: 'append',
    more,
    before: 'select * from orders limit 0',
    after: 'select * from orders where id % 100 <> 0',
    written: rows - bad,
  });
  const refuse = 'alter table target add constraint no_hundreds check (id % 100 <> 0)';

  test('the first one fails the run, which says what is wrong; mended, a retry completes it', async () => {
    const one = append({});
    await makeTarget(one);
    await query(url, refuse);
    const worker = await service.startWorker();
    const runId = await startRun(one);
    const run = await service.ended(runId);
    expect(run).toMatchObject({
      status: 'failed',
      error: { code: 'destination_constraint_violation', nodeId: 'destination' },
    });
    expect(run.error?.message).toContain('no_hundreds');
    expect(run.error?.message).toMatch(/Row \d+ of split \d+/);
    await query(url, 'alter table target drop constraint no_hundreds');
    const { runId: retried } = await ok(
      service.call<{ runId: string }>('POST', `/api/runs/${runId}/retry`),
    );
    expect(await service.ended(retried)).toMatchObject({ status: 'succeeded' });
    expect(await difference(url, 'orders', 'target')).toEqual(same);
    await worker.stop();
  });

  test('with room for them they become dead letters, each once, and the rest is loaded', async () => {
    const one = append({ maxErrors: bad });
    await makeTarget(one);
    await query(url, refuse);
    const worker = await service.startWorker();
    const runId = await startRun(one);
    const run: RunBody = await service.ended(runId, 120_000);
    expect(run).toMatchObject({
      status: 'succeeded',
      metrics: { rowsRead: rows, rowsWritten: one.written, rowsFailed: bad },
    });
    expect(await difference(url, 'wanted', 'target')).toEqual(same);
    const [letters] = await query<Record<string, unknown>>(
      service.metadata.url,
      `select count(*)::int as letters, count(distinct payload::json ->> 'id')::int as rows,
              bool_and(visible) as visible, bool_and((payload::json ->> 'id')::int % 100 = 0) as right,
              min(code) as code, min(node_id) as node
         from dead_letters where job_id = $1`,
      [runId],
    );
    expect(letters).toEqual({
      letters: bad,
      rows: bad,
      visible: true,
      right: true,
      code: 'constraint_violation',
      node: 'destination',
    });
    await worker.stop();
  });

  test('one more than there is room for fails the run', async () => {
    const one = append({ maxErrors: bad - 1 });
    await makeTarget(one);
    await query(url, refuse);
    const worker = await service.startWorker();
    const runId = await startRun(one);
    expect(await service.ended(runId, 120_000)).toMatchObject({ status: 'failed' });
    await worker.stop();
  });
});

test('a staging store that is full fails the run and says so; with room a retry completes it', async () => {
  await query(url, 'drop table if exists target; drop schema if exists _fluxline cascade');
  const nodes = [
    bench.source('orders'),
    {
      id: 'sum',
      type: 'transform.aggregate',
      config: { groupBy: ['customer'], aggregates: [{ name: 'n', expression: 'count(*)' }] },
    },
    bench.destination('target', 'replace'),
  ];
  const small = await service.startWorker({ FLX_STAGING_MAX_BYTES: '100000' });
  const runId = await service.start(await bench.pipeline(nodes));
  const run = await service.ended(runId);
  expect(run).toMatchObject({ status: 'failed', error: { code: 'resource_exhausted' } });
  expect(run.error?.message).toContain('FLX_STAGING_MAX_BYTES');
  await small.stop();
  const worker = await service.startWorker();
  const { runId: retried } = await ok(
    service.call<{ runId: string }>('POST', `/api/runs/${runId}/retry`),
  );
  expect(await service.ended(retried)).toMatchObject({ status: 'succeeded', error: null });
  await query(
    url,
    `drop table if exists wanted;
     create table wanted as select customer, count(*) as n from orders group by customer`,
  );
  expect(await difference(url, 'wanted', 'target')).toEqual(same);
  await worker.stop();
});

test('a column that was dropped after saving is named', async () => {
  await query(
    url,
    'drop table if exists target; create table narrow as select * from orders limit 10',
  );
  const worker = await service.startWorker();
  const source = bench.source('narrow', { columns: ['id', 'note'] });
  const pipelineId = await bench.pipeline([source, bench.destination('target', 'append')]);
  await query(url, 'alter table narrow drop column note');
  const run = await service.ended(await service.start(pipelineId));
  expect(run).toMatchObject({
    status: 'failed',
    error: { code: 'schema_drift', nodeId: 'source' },
  });
  expect(run.error?.message).toContain('note');
  await worker.stop();
});
