import { Client as TemporalClient, Connection } from '@temporalio/client';
import { stopChildren, temporalAddress } from '../support/processes.js';
import {
  countRows,
  exactly,
  holdTable,
  numbered,
  ok,
  query,
  startService,
} from '../support/service.js';
import type { RunBody, Service } from '../support/service.js';
import { waitFor } from '../support/wait.js';

let service: Service;

beforeAll(async () => {
  service = await startService();
  await service.startWorker({ FLX_SPLITS_PER_EXECUTION: '3' });
});

afterAll(async () => {
  await stopChildren();
  await service.drop();
});

test('a run loads every row once and says so everywhere', async () => {
  const pipelineId = await service.pipeline(numbered(5_000), 'orders');
  const runId = await service.start(pipelineId);
  const run = await service.ended(runId);
  expect(run).toMatchObject({
    status: 'succeeded',
    error: null,
    metrics: { rowsRead: 5_000, rowsWritten: 5_000 },
  });
  expect(await countRows(service.target.url, 'orders')).toEqual(exactly(5_000));

  const { nodes } = await ok(service.call<{ nodes: object[] }>('GET', `/api/runs/${runId}/nodes`));
  expect(nodes).toMatchObject([
    { nodeId: 'rows', status: 'succeeded', metrics: { rowsOut: 5_000 } },
    { nodeId: 'table', status: 'succeeded', metrics: { rowsIn: 5_000 } },
  ]);
  const status = await ok(service.call('GET', `/api/pipelines/${pipelineId}/execution-status`));
  expect(status).toMatchObject({
    runId,
    status: 'succeeded',
    progress: { completedNodes: 2, totalNodes: 2 },
  });
  const { lines, nextCursor } = await ok(
    service.call<{ lines: { message: string }[]; nextCursor: string | null }>(
      'GET',
      `/api/runs/${runId}/logs`,
    ),
  );
  expect(lines.at(-1)?.message).toBe('The run succeeded: 5000 rows read, 5000 written.');
  expect(nextCursor).toBeNull();
});

test('inline values arrive as the types they claim to be', async () => {
  const pipelineId = await service.pipeline(
    {
      type: 'source.inline',
      config: {
        columns: [
          { name: 'i', type: 'bigint' },
          { name: 't', type: 'text' },
          { name: 'd', type: 'decimal(30,10)' },
          { name: 'b', type: 'bytes' },
          { name: 'j', type: 'json' },
          { name: 'at', type: 'timestamptz' },
          { name: 'yes', type: 'boolean' },
        ],
        rows: [
          [
            '9223372036854775807',
            'a,"b"\n',
            '12345678901234567890.0123456789',
            '3q2+7w==',
            { a: [1, null] },
            '2026-11-21T01:02:03.123456+02:00',
            true,
          ],
          [null, '', null, null, null, null, null],
          [-5, '\\.', '-0.5', '', 'text', '1999-12-31T23:59:59Z', false],
        ],
      },
    },
    'inline_rows',
  );
  const run = await service.ended(await service.start(pipelineId));
  expect(run.error).toBeNull();
  const rows = await query(
    service.target.url,
    `select i::text, t, d::text, encode(b, 'hex') as b, j, (at at time zone 'UTC')::text as at, yes
       from inline_rows order by i nulls last`,
  );
  expect(rows).toEqual([
    {
      i: '-5',
      t: '\\.',
      d: '-0.5000000000',
      b: '',
      j: 'text',
      at: '1999-12-31 23:59:59',
      yes: false,
    },
    {
      i: '9223372036854775807',
      t: 'a,"b"\n',
      d: '12345678901234567890.0123456789',
      b: 'deadbeef',
      j: { a: [1, null] },
      at: '2026-11-20 23:02:03.123456',
      yes: true,
    },
    { i: null, t: '', d: null, b: null, j: null, at: null, yes: null },
  ]);
});

test('a long run continues as new, every three splits here', async () => {
  const pipelineId = await service.pipeline(numbered(40_000), 'many_splits');
  const runId = await service.start(pipelineId);
  expect(await service.ended(runId)).toMatchObject({ status: 'succeeded' });
  expect(await countRows(service.target.url, 'many_splits')).toEqual(exactly(40_000));

  const connection = await Connection.connect({ address: temporalAddress() });
  const temporal = new TemporalClient({ connection });
  const prefix = service.settings['FLX_QUEUE_PREFIX'] ?? '';
  const last = await temporal.workflow.getHandle(`${prefix}pipeline_run-${runId}`).fetchHistory();
  const splits = await query(service.metadata.url, 'select 1 from job_splits where job_id = $1', [
    runId,
  ]);
  const began = last.events?.[0]?.workflowExecutionStartedEventAttributes;
  expect(splits.length).toBeGreaterThan(6);
  expect(began?.continuedExecutionRunId).toMatch(/^[0-9a-f-]{36}$/);
  await connection.close();
});

test('a failure names the node, what happened and what to do; nothing of the split stays', async () => {
  await query(service.target.url, 'create table strict (id bigint primary key, note text)');
  await query(service.target.url, `insert into strict values (17, 'there before')`);
  const pipelineId = await service.pipeline(numbered(100), 'strict');
  const run = await service.ended(await service.start(pipelineId));
  expect(run).toMatchObject({
    status: 'failed',
    error: { code: 'destination_constraint_violation', nodeId: 'table' },
  });
  expect(run.error?.message).toContain('strict_pkey');
  expect(run.error?.message).toContain('Row 17 of split 0');
  expect(run.error?.message).not.toContain('(id)=');
  expect(await query(service.target.url, 'select id::int from strict')).toEqual([{ id: 17 }]);
});

test('a retry completes a failed run without writing anything twice', async () => {
  await query(service.target.url, 'create table picky (id bigint primary key, note text)');
  await query(service.target.url, `insert into picky values (39999, 'in the way')`);
  const pipelineId = await service.pipeline(numbered(40_000), 'picky');
  const runId = await service.start(pipelineId);
  const failed = await service.ended(runId);
  expect(failed.status).toBe('failed');
  const [committed] = await query<{ splits: string }>(
    service.target.url,
    'select count(*) as splits from _fluxline.commits where root_job = $1',
    [runId],
  );
  expect(Number(committed?.splits)).toBeGreaterThan(0);

  await query(service.target.url, 'delete from picky where id = 39999');
  await query(service.target.url, `delete from picky where note = 'in the way'`);
  const retry = await ok(service.call<{ runId: string }>('POST', `/api/runs/${runId}/retry`));
  expect(await service.ended(retry.runId)).toMatchObject({
    status: 'succeeded',
    metrics: { rowsWritten: 40_000 },
  });
  expect(await countRows(service.target.url, 'picky')).toEqual(exactly(40_000));
  const again = await service.call('POST', `/api/runs/${runId}/retry`);
  expect(again).toMatchObject({ status: 409, body: { code: 'wrong_state' } });
});

test('undo takes back what a failed run left, and only that', async () => {
  await query(service.target.url, 'create table half (id bigint primary key, note text)');
  await query(service.target.url, `insert into half values (39999, 'mine')`);
  const pipelineId = await service.pipeline(numbered(40_000), 'half');
  const runId = await service.start(pipelineId);
  expect((await service.ended(runId)).status).toBe('failed');
  const left = (await countRows(service.target.url, 'half')).rows;
  expect(left).toBeGreaterThan(1);

  const [touched] = await query<{ id: string }>(
    service.target.url,
    `update half set note = 'changed' where id = (select min(id) from half) returning id`,
  );
  await ok(service.call('POST', `/api/runs/${runId}/undo`));
  const run = await waitFor(
    async () => {
      const seen = await ok(service.call<RunBody>('GET', `/api/runs/${runId}`));
      return seen.undo?.status === 'succeeded' ? seen : undefined;
    },
    { timeoutMs: 30_000, what: 'the undo' },
  );
  expect(run.undo).toMatchObject({ rowsRemoved: left - 2, rowsMissing: 1 });
  expect(await query(service.target.url, 'select id::text from half order by note')).toEqual([
    { id: touched?.id },
    { id: '39999' },
  ]);
  const again = await service.call('POST', `/api/runs/${runId}/undo`);
  expect(again).toMatchObject({ status: 409 });
});

test('a running run is cancelled: what was under way is rolled back', async () => {
  const hold = await holdTable(service.target.url, 'held');
  const pipelineId = await service.pipeline(numbered(20_000), 'held');
  const runId = await service.start(pipelineId);
  await hold.someoneWaits();
  const answer = await service.call('DELETE', `/api/runs/${runId}`);
  expect(answer).toMatchObject({ status: 200, body: { id: runId, status: 'cancel_requested' } });
  const run = await service.ended(runId);
  await hold.release();
  expect(run.status).toBe('canceled');
  expect((await countRows(service.target.url, 'held')).rows).toBe(0);
  expect(await service.call('DELETE', `/api/runs/${runId}`)).toMatchObject({
    status: 409,
    body: { code: 'run_finished' },
  });
});

test('a run terminated in Temporal ends as lost, and its retry completes it', async () => {
  const hold = await holdTable(service.target.url, 'terminated');
  const pipelineId = await service.pipeline(numbered(20_000), 'terminated');
  const runId = await service.start(pipelineId);
  await hold.someoneWaits();
  const connection = await Connection.connect({ address: temporalAddress() });
  const temporal = new TemporalClient({ connection });
  const prefix = service.settings['FLX_QUEUE_PREFIX'] ?? '';
  await temporal.workflow.getHandle(`${prefix}pipeline_run-${runId}`).terminate('by a test');
  await connection.close();
  const run = await service.ended(runId);
  await hold.release();
  expect(run).toMatchObject({ status: 'failed', error: { code: 'workflow_lost' } });
  const retry = await ok(service.call<{ runId: string }>('POST', `/api/runs/${runId}/retry`));
  expect((await service.ended(retry.runId)).status).toBe('succeeded');
  expect(await countRows(service.target.url, 'terminated')).toEqual(exactly(20_000));
});
