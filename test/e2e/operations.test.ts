import { Client as TemporalClient, Connection } from '@temporalio/client';
import { defineSearchAttributeKey } from '@temporalio/common';
import { stopChildren, temporalAddress } from '../support/processes.js';
import { numbered, query, startService } from '../support/service.js';
import type { Service } from '../support/service.js';
import { waitFor } from '../support/wait.js';

let service: Service;
let connection: Connection;
let temporal: TemporalClient;
let prefix: string;

beforeAll(async () => {
  service = await startService();
  connection = await Connection.connect({ address: temporalAddress() });
  temporal = new TemporalClient({ connection });
  prefix = service.settings['FLX_QUEUE_PREFIX'] ?? '';
});

afterAll(async () => {
  await connection.close();
  await stopChildren();
  await service.drop();
});

test('ready means that a run would run, and says what is missing', async () => {
  const before = await fetch(`${service.api.url}/readyz`);
  expect(before.status).toBe(503);
  expect(await before.json()).toEqual({
    ready: false,
    missing: ['control', 'batch', 'live', 'streams'].map(
      (queue) => `worker on queue ${prefix}${queue}`,
    ),
  });
  expect((await fetch(`${service.api.url}/healthz`)).status).toBe(200);
  await service.startWorker();
  const after = await fetch(`${service.api.url}/readyz`);
  expect(await after.json()).toEqual({ ready: true, missing: [] });
});

test('a run can be found in Temporal, and says in words what it is', async () => {
  const pipelineId = await service.pipeline(numbered(100), 'found');
  const runId = await service.start(pipelineId);
  await service.ended(runId);
  const handle = temporal.workflow.getHandle(`${prefix}pipeline_run-${runId}`);
  await handle.result();
  const description = await handle.describe();
  expect(await description.staticSummary()).toMatch(/^Run of found .* \(manual\)$/);
  const attribute = (name: string) =>
    description.typedSearchAttributes.get(defineSearchAttributeKey(name, 'KEYWORD'));
  expect(attribute('JobType')).toBe('pipeline_run');
  expect(attribute('PipelineId')).toBe(pipelineId);
  const found = await waitFor(
    async () => {
      for await (const { workflowId } of temporal.workflow.list({
        query: `PipelineId = '${pipelineId}'`,
      })) {
        return workflowId;
      }
      return undefined;
    },
    { timeoutMs: 20_000, what: 'the run to be listed' },
  );
  expect(found).toBe(`${prefix}pipeline_run-${runId}`);
  const { events } = await handle.fetchHistory();
  const texts = JSON.stringify(events);
  for (const secret of [new URL(service.target.url).password, 'sequence', 'found']) {
    expect(texts).not.toContain(Buffer.from(secret).toString('base64').slice(0, 6));
  }
});

test('retention runs on its schedule and takes only what is too old', async () => {
  await query(
    service.metadata.url,
    `insert into events (workspace_id, name, payload, created_at)
     select id, 'job.queued', '{}', now() - days * interval '1 day' from workspaces, unnest(array[1, 6, 8, 30]) days`,
  );
  await temporal.schedule.getHandle(`${prefix}retention`).trigger();
  await waitFor(
    async () => {
      const rows = await query<{ days: number }>(
        service.metadata.url,
        `select extract(day from now() - created_at)::int as days from events where payload = '{}' order by 1`,
      );
      return rows.map(({ days }) => days).join() === '1,6';
    },
    { timeoutMs: 30_000, what: 'the old events to be gone' },
  );
});
