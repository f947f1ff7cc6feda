/** Rows out of an API and into one. */
import { json, startApi } from '../support/apiServer.js';
import type { ApiServer, Arrived } from '../support/apiServer.js';
import { stopChildren } from '../support/processes.js';
import { ok, query, startService } from '../support/service.js';
import type { RunBody, Service } from '../support/service.js';
import { waitFor } from '../support/wait.js';
import { makeOrders, workbench } from './support/graphs.js';
import type { Node, Workbench } from './support/graphs.js';

let service: Service;
let bench: Workbench;
let url: string;
let api: ApiServer;
let connectionId: string;

beforeAll(async () => {
  service = await startService();
  await service.startWorker();
  bench = await workbench(service);
  url = service.target.url;
  api = await startApi();
  const auth = { type: 'bearer' };
  connectionId = await bench.connect('http', {
    baseUrl: `${api.origin}/v1`,
    auth,
    token: 'T-4711',
  });
});

afterAll(async () => {
  await stopChildren();
  await api.close();
  await service.drop();
});

const run = async (nodes: Node[]): Promise<RunBody> =>
  service.ended(await service.start(await bench.pipeline(nodes)));

const fromApi = (more: object = {}): Node => ({
  id: 'api',
  type: 'source.http',
  config: {
    connectionId,
    path: '/payments',
    recordPath: 'data',
    pagination: { type: 'cursor', cursorPath: 'next' },
    ...more,
  },
});

const toApi = (more: object = {}): Node => ({
  id: 'api',
  type: 'destination.http',
  config: { connectionId, path: '/orders', batchSize: 50, ...more },
});

test('pages of an API become rows of a table, to the last digit', async () => {
  const records = [
    '{"id":9007199254740993,"amount":12345678901234567890.10,"at":"2026-11-21T03:00:00Z","tags":["a", 1.10]}',
    '{"id":2,"amount":0.1,"at":null,"tags":{},"ignored":1}',
    '{"id":3,"amount":-1,"at":"2026-11-21T03:00:00.5Z"}',
    '"no record"',
  ];
  api.answer(({ url: asked }, answer) => {
    const at = Number(asked.searchParams.get('cursor') ?? 0);
    const next = at + 1 < records.length ? at + 1 : null;
    json(answer, `{"data":[${records[at] ?? ''}],"next":${next ?? 'null'}}`);
  });
  const columns = [
    { name: 'id', type: 'bigint' },
    { name: 'amount', type: 'decimal(30,2)' },
    { name: 'at', type: 'timestamptz' },
    { name: 'tags', type: 'json' },
  ];
  const paid = { id: 'paid', type: 'transform.filter', config: { where: 'amount > 0' } };
  const table = bench.destination('payments', 'append', { maxErrors: 1 });
  const ended = await run([fromApi({ columns }), paid, table]);
  expect(ended).toMatchObject({
    status: 'succeeded',
    metrics: { rowsRead: 4, rowsWritten: 2, rowsFailed: 1 },
  });
  const rows = await query(
    url,
    'select id::text, amount::text, at::text, tags::text from payments order by amount desc',
  );
  expect(rows).toEqual([
    {
      id: '9007199254740993',
      amount: '12345678901234567890.10',
      at: expect.stringContaining('2026-11-21') as string,
      tags: '["a", 1.10]',
    },
    { id: '2', amount: '0.10', at: null, tags: '{}' },
  ]);
  for (const { headers } of api.arrived) expect(headers.authorization).toBe('Bearer T-4711');
});

test('columns are found out where none are listed', async () => {
  api.answer((_, answer) => json(answer, '{"data":[{"id":1,"name":"a"},{"id":2}],"next":null}'));
  expect(await run([fromApi(), bench.destination('found', 'replace')])).toMatchObject({
    status: 'succeeded',
    metrics: { rowsRead: 2, rowsWritten: 2 },
  });
  expect(await query(url, 'select id::int, name from found order by id')).toEqual([
    { id: 1, name: 'a' },
    { id: 2, name: null },
  ]);
});

interface Sent {
  id: number;
}

const idsIn = ({ body }: Arrived): number[] => (JSON.parse(body) as Sent[]).map(({ id }) => id);

const sorted = (numbers: readonly number[]): number[] => [...numbers].sort((a, b) => a - b);

const oneTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

describe('a table that is sent to an API', () => {
  const rows = 3_000;

  beforeAll(async () => {
    await makeOrders(url, 'orders', rows);
    await query(url, 'vacuum analyze orders');
  });

  /** What the receiver keeps: it knows requests by their keys. */
  const receive = (refused: (ids: readonly number[]) => boolean) => {
    const kept = new Map<string, number[]>();
    api.answer((request, answer) => {
      const ids = idsIn(request);
      if (refused(ids)) {
        json(answer, { error: 'no' }, 422);
        return;
      }
      kept.set(String(request.headers['idempotency-key']), ids);
      json(answer, {});
    });
    return kept;
  };

  test('arrives as a whole', async () => {
    const kept = receive(() => false);
    const ended = await run([bench.source('orders', { consistency: 'per_row' }), toApi()]);
    expect(ended).toMatchObject({
      status: 'succeeded',
      metrics: { rowsRead: rows, rowsWritten: rows, rowsFailed: 0 },
    });
    expect(sorted([...kept.values()].flat())).toEqual(oneTo(rows));
    const [first] = JSON.parse(api.arrived[0]?.body ?? '[]') as Record<string, unknown>[];
    expect(Object.keys(first ?? {})).toEqual([
      'id',
      'customer',
      'amount',
      'paid',
      'ordered_at',
      'note',
    ]);
    expect(first?.['ordered_at']).toMatch(/^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/);
  });

  test('loses the records that are refused to the dead letters', async () => {
    const kept = receive((ids) => ids.includes(77));
    const ended = await run([
      bench.source('orders', { consistency: 'per_row' }),
      toApi({ maxErrors: 1 }),
    ]);
    expect(ended).toMatchObject({
      status: 'succeeded',
      metrics: { rowsWritten: rows - 1, rowsFailed: 1 },
    });
    expect(sorted([...kept.values()].flat())).toEqual(oneTo(rows).filter((id) => id !== 77));
    const letters = await query<{ payload: string; code: string }>(
      service.metadata.url,
      `select payload, code from dead_letters where job_id = $1`,
      [ended.id],
    );
    expect(letters.map(({ code }) => code)).toEqual(['constraint_violation']);
    expect(JSON.parse(letters[0]?.payload ?? '{}')).toMatchObject({ id: '77' });
  });

  test('is sent by a retry only where it is not done', async () => {
    const kept = receive((ids) => ids.includes(rows));
    const failed = await run([bench.source('orders', { consistency: 'per_row' }), toApi()]);
    expect(failed).toMatchObject({
      status: 'failed',
      error: { code: 'destination_constraint_violation' },
    });
    const done = await query<{ splits: string; rows: string }>(
      service.metadata.url,
      `select count(*) as splits, sum(rows_written) as rows from job_splits
       where job_id = $1 and status = 'succeeded'`,
      [failed.id],
    );
    expect(Number(done[0]?.splits)).toBeGreaterThan(0);

    const batches = [...kept.values()];
    const again = receive(() => false);
    const { runId } = await ok(
      service.call<{ runId: string }>('POST', `/api/runs/${failed.id}/retry`),
    );
    expect(await service.ended(runId)).toMatchObject({ status: 'succeeded' });
    const resent = [...again.values()].flat();
    expect(resent).toHaveLength(rows - Number(done[0]?.rows));
    const all = [...batches.flat(), ...resent];
    expect(sorted([...new Set(all)])).toEqual(oneTo(rows));
    // The batch that was refused had been tried in halves; whole batches are known by their keys.
    const twice = all.filter((id, at) => all.indexOf(id) !== at);
    expect(twice.length).toBeGreaterThan(0);
    const known = [...kept.keys()].filter((key) => again.has(key));
    const halved = batches.filter((ids) => ids.length < 50).flat();
    expect(twice.filter((id) => !halved.includes(id))).toHaveLength(known.length * 50);
  });

  test('cannot be taken back', async () => {
    receive((ids) => ids.includes(rows));
    const failed = await run([bench.source('orders', { consistency: 'per_row' }), toApi()]);
    await ok(service.call('POST', `/api/runs/${failed.id}/undo`));
    const undo = await waitFor(
      async () => {
        const body = await ok(service.call<RunBody>('GET', `/api/runs/${failed.id}`));
        return body.undo?.status === 'failed' ? body.undo : undefined;
      },
      { timeoutMs: 60_000, what: 'the undo to fail' },
    );
    expect(undo.rowsRemoved).toBeNull();
    const jobs = await query<{ error: string }>(
      service.metadata.url,
      'select error::text from jobs where undo_of = $1',
      [failed.id],
    );
    expect(jobs.map(({ error }) => error).join()).toContain('cannot be taken back from here');
  });
});
