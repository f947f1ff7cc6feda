import { createServer } from 'node:net';
import type { Server } from 'node:net';
import { freePort, startApi, startOwnServer, stopChildren } from '../support/processes.js';
import {
  countRows,
  databasesOn,
  exactly,
  holdTable,
  numbered,
  ok,
  query,
  startService,
} from '../support/service.js';
import type { Service } from '../support/service.js';
import { waitFor } from '../support/wait.js';

afterAll(stopChildren);

describe('with the shared servers', () => {
  let service: Service;

  beforeEach(async () => {
    service = await startService();
  });
  afterEach(async () => {
    await stopChildren();
    await service.drop();
  });

  test('a worker killed in the middle: another one ends the run, nothing twice', async () => {
    const worker = await service.startWorker();
    const hold = await holdTable(service.target.url, 'orders');
    const runId = await service.start(await service.pipeline(numbered(20_000), 'orders'));
    await hold.someoneWaits();
    await worker.kill('SIGKILL');
    await hold.release();
    expect((await query(service.metadata.url, 'select status from jobs'))[0]).toEqual({
      status: 'running',
    });
    await service.startWorker();
    expect(await service.ended(runId)).toMatchObject({
      status: 'succeeded',
      metrics: { rowsRead: 20_000, rowsWritten: 20_000 },
    });
    expect(await countRows(service.target.url, 'orders')).toEqual(exactly(20_000));
  });

  test('a worker told to stop finishes what it has in hand', async () => {
    const worker = await service.startWorker();
    const hold = await holdTable(service.target.url, 'orders');
    const runId = await service.start(await service.pipeline(numbered(4_000), 'orders'));
    await hold.someoneWaits();
    const stopped = worker.stop();
    await waitFor(() => worker.output().includes('stopping'), {
      timeoutMs: 10_000,
      what: 'the worker to hear of it',
    });
    await hold.release();
    expect(await stopped).toEqual({ code: 0, signal: null });
    const splits = await query<{ attempt: number }>(
      service.metadata.url,
      `select attempt from job_splits where status = 'succeeded'`,
    );
    expect(splits.length).toBeGreaterThan(0);
    await service.startWorker();
    expect(await service.ended(runId)).toMatchObject({ status: 'succeeded' });
    expect(await countRows(service.target.url, 'orders')).toEqual(exactly(4_000));
  });

  test('a run cancelled while it waits for a slot never begins', async () => {
    await query(service.metadata.url, 'update workspaces set max_concurrent_runs = 1');
    await service.startWorker();
    const hold = await holdTable(service.target.url, 'orders');
    const pipelineId = await service.pipeline(numbered(100), 'orders');
    const first = await service.start(pipelineId);
    await hold.someoneWaits();
    const second = await service.start(pipelineId);
    const answer = await service.call('DELETE', `/api/runs/${second}`);
    expect(answer).toMatchObject({ status: 200, body: { status: 'cancel_requested' } });
    expect(await service.ended(second)).toMatchObject({ status: 'canceled' });
    await hold.release();
    expect(await service.ended(first)).toMatchObject({ status: 'succeeded' });
    expect(await countRows(service.target.url, 'orders')).toEqual(exactly(100));
    const [job] = await query(
      service.metadata.url,
      'select started_at, workflow_started_at from jobs where id = $1',
      [second],
    );
    expect(job).toEqual({ started_at: null, workflow_started_at: null });
  });

  test('fifty starts with one key are one run', async () => {
    await service.startWorker();
    const pipelineId = await service.pipeline(numbered(100), 'orders');
    const answers = await Promise.all(
      Array.from({ length: 50 }, () =>
        service.call<{ runId: string }>(
          'POST',
          `/api/pipelines/${pipelineId}/run`,
          {},
          {
            'idempotency-key': 'one-order-please',
          },
        ),
      ),
    );
    expect([...new Set(answers.map(({ status }) => status))]).toEqual([200]);
    const ids = new Set(answers.map(({ body }) => body.runId));
    expect(ids.size).toBe(1);
    expect(await service.ended([...ids][0] ?? '')).toMatchObject({ status: 'succeeded' });
    expect(await countRows(service.target.url, 'orders')).toEqual(exactly(100));
    const other = await service.call(
      'POST',
      `/api/pipelines/${pipelineId}/run`,
      { priority: 'low' },
      {
        'idempotency-key': 'one-order-please',
      },
    );
    expect(other).toMatchObject({ status: 422, body: { code: 'idempotency_mismatch' } });
  });

  test('two slots, ten runs: never more than two, the most urgent first', async () => {
    await query(service.metadata.url, 'update workspaces set max_concurrent_runs = 2');
    await service.startWorker();
    const hold = await holdTable(service.target.url, 'orders');
    const pipelineId = await service.pipeline(numbered(50), 'orders');
    const running = [await service.start(pipelineId), await service.start(pipelineId)];
    await hold.someoneWaits();
    const waiting: Record<string, string[]> = { low: [], normal: [], high: [] };
    for (const priority of ['low', 'normal', 'high', 'low', 'high', 'normal', 'high', 'low']) {
      waiting[priority]?.push(await service.start(pipelineId, { priority }));
    }
    const admitted = await query(
      service.metadata.url,
      'select id from jobs where admitted_at is not null',
    );
    expect(admitted).toHaveLength(2);
    await hold.release();
    const all = [...running, ...Object.values(waiting).flat()];
    for (const runId of all) {
      expect(await service.ended(runId)).toMatchObject({ status: 'succeeded' });
    }
    const order = await query<{ id: string }>(
      service.metadata.url,
      'select id from jobs order by admitted_at, priority desc, id',
    );
    const { low = [], normal = [], high = [] } = waiting;
    expect(order.map(({ id }) => id)).toEqual([...running, ...high, ...normal, ...low]);
    const [most] = await query<{ most: number }>(
      service.metadata.url,
      `select max(beside)::int as most from (
         select count(*) as beside from jobs a join jobs b
             on b.started_at <= a.started_at and b.finished_at > a.started_at
          group by a.id) counted`,
    );
    expect(most).toEqual({ most: 2 });
    expect((await countRows(service.target.url, 'orders')).rows).toBe(500);
  });

  test('an API killed between commit and start: the run starts all the same', async () => {
    // A Temporal that takes connections and never says anything: the commit is all there is.
    const silent = await listenSilently();
    const mute = await startApi({ ...service.settings, TEMPORAL_ADDRESS: addressOf(silent) });
    const pipelineId = await service.pipeline(numbered(100), 'orders');
    const headers = { authorization: `Bearer ${process.env['FLX_TEST_API_KEY'] ?? ''}` };
    const answer = await fetch(`${mute.url}/api/pipelines/${pipelineId}/run`, {
      method: 'POST',
      headers,
    });
    const { runId } = (await answer.json()) as { runId: string };
    await mute.kill('SIGKILL');
    silent.close();
    const [job] = await query(service.metadata.url, 'select workflow_started_at from jobs');
    expect(job).toEqual({ workflow_started_at: null });
    await service.startWorker();
    expect(await service.ended(runId)).toMatchObject({ status: 'succeeded' });
    expect(await countRows(service.target.url, 'orders')).toEqual(exactly(100));
  });
});

test('a Temporal server killed in the middle: the run goes on when it is back', async () => {
  const port = await freePort();
  const temporal = await startOwnServer('temporal', { port });
  const service = await startService({ TEMPORAL_ADDRESS: temporal.ready.address });
  await service.startWorker();
  const hold = await holdTable(service.target.url, 'orders');
  const pipelineId = await service.pipeline(numbered(20_000), 'orders');
  const runId = await service.start(pipelineId);
  await hold.someoneWaits();
  process.kill(temporal.ready.pid, 'SIGKILL');
  await temporal.exited;
  await hold.release();
  const meanwhile = await service.start(pipelineId);
  const again = await startOwnServer('temporal', {
    port,
    dbFile: `${temporal.directory}/temporal.db`,
  });
  expect(await service.ended(runId, 120_000)).toMatchObject({ status: 'succeeded' });
  expect(await service.ended(meanwhile, 120_000)).toMatchObject({ status: 'succeeded' });
  expect(await countRows(service.target.url, 'orders')).toMatchObject({
    rows: 40_000,
    different: 20_000,
  });
  await stopChildren();
  await again.remove();
  await temporal.remove();
  await service.drop();
});

test('a PostgreSQL killed in the middle, metadata and target: the run ends right when it is back', async () => {
  const port = await freePort();
  const postgres = await startOwnServer('postgres', { port });
  const service = await startService({}, await databasesOn(postgres.ready.adminUrl));
  const target = service.target.url;
  await service.startWorker();
  const runId = await service.start(await service.pipeline(numbered(200_000), 'orders'));
  await waitFor(
    async () => {
      const [row] = await query<{ splits: string }>(
        target,
        'select count(*) as splits from _fluxline.commits',
      );
      return Number(row?.splits) >= 3;
    },
    { timeoutMs: 30_000, what: 'some splits to be committed' },
  );
  process.kill(postgres.ready.pid, 'SIGKILL');
  await postgres.exited;
  const again = await startOwnServer('postgres', {
    port,
    directory: postgres.ready.pgdata,
  });
  const run = await service.ended(runId, 150_000);
  expect(run).toMatchObject({ status: 'succeeded', metrics: { rowsWritten: 200_000 } });
  expect(await countRows(target, 'orders')).toEqual(exactly(200_000));
  await ok(service.call('GET', '/api/projects'));
  await stopChildren();
  await again.remove();
  await postgres.remove();
});

const listenSilently = (): Promise<Server> =>
  new Promise((resolve) => {
    const server = createServer((socket) => socket.on('error', () => undefined));
    server.listen(0, '127.0.0.1', () => resolve(server));
  });

const addressOf = (server: Server): string => {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('not listening');
  return `127.0.0.1:${address.port}`;
};
