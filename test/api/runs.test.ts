/** What the generated tests cannot know: the rules of runs. */
import { startResources } from './support/resources.js';

type Resources = Awaited<ReturnType<typeof startResources>>;

let api: Resources['api'];
let call: Resources['call'];
let makePipeline: Resources['makePipeline'];

beforeAll(async () => {
  ({ api, call, makePipeline } = await startResources());
});
afterAll(() => api.close());

describe('runs', () => {
  const start = async (): Promise<string> =>
    (await call('POST', `/api/pipelines/${await makePipeline()}/run`)).body['runId'] as string;

  test('one that is queued shows itself, and is cancelled on the spot', async () => {
    const runId = await start();
    expect((await call('GET', `/api/runs/${runId}`)).body).toMatchObject({
      status: 'queued',
      startedAt: null,
      durationSeconds: null,
      error: null,
      trigger: { type: 'manual' },
      metrics: { rowsRead: 0, rowsWritten: 0 },
    });
    expect((await call('GET', `/api/runs/${runId}/logs`)).body).toEqual({
      runId,
      lines: [],
      nextCursor: 'line:0',
    });
    expect((await call('DELETE', `/api/runs/${runId}`)).body).toMatchObject({
      id: runId,
      status: 'cancel_requested',
    });
    expect((await call('GET', `/api/runs/${runId}`)).body['status']).toBe('canceled');
    expect((await call('GET', `/api/runs/${runId}/logs`)).body['nextCursor']).toBeNull();
    expect(await call('DELETE', `/api/runs/${runId}`)).toMatchObject({
      status: 409,
      body: { code: 'run_finished' },
    });
  });

  test('are found by status and by the day they were queued, last day included', async () => {
    const runId = await start();
    const found = async (query: string) => {
      const { status, body } = await call('GET', `/api/runs?${query}`);
      return status === 200 ? (body['data'] as { id: string; trigger: string }[]) : status;
    };
    const today = new Date().toISOString().slice(0, 10);
    expect(await found(`dateRange=${today}..${today}&status=queued`)).toEqual(
      expect.arrayContaining([expect.objectContaining({ id: runId, trigger: 'manual' })]),
    );
    expect(await found(`to=2020-01-01`)).toEqual([]);
    expect(await found('dateRange=2026-02-01..2026-01-01')).toBe(400);
    expect(await found(`dateRange=${today}..&from=${today}`)).toBe(400);
    expect(await found('status=cancelled')).toBe(400);
  });

  test('are paged newest first, without a gap', async () => {
    const pipelineId = await makePipeline();
    const ids: unknown[] = [];
    for (let n = 0; n < 5; n++)
      ids.unshift((await call('POST', `/api/pipelines/${pipelineId}/run`)).body['runId']);
    const seen: unknown[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const page = await call(
        'GET',
        `/api/pipelines/${pipelineId}/runs?limit=2${cursor && `&cursor=${cursor}`}`,
      );
      seen.push(...(page.body['data'] as { id: string }[]).map(({ id }) => id));
      cursor = (page.body['meta'] as { cursor: string | null }).cursor;
    }
    expect(seen).toEqual(ids);
  });

  test('a retry or undo of one that has not ended, or succeeded, is refused', async () => {
    const runId = await start();
    for (const verb of ['retry', 'undo']) {
      expect(await call('POST', `/api/runs/${runId}/${verb}`)).toMatchObject({
        status: 409,
        body: { code: 'wrong_state' },
      });
    }
    await api
      .db('jobs')
      .where({ id: runId })
      .update({ status: 'succeeded', finished_at: api.db.fn.now() });
    expect(await call('POST', `/api/runs/${runId}/retry`)).toMatchObject({ status: 409 });
  });

  test.each([
    ['archived', 'is archived'],
    ['trashed', 'is in the trash'],
  ])('a run whose pipeline is %s is not retried', async (state, reason) => {
    const id = await makePipeline();
    const { body } = await call('POST', `/api/pipelines/${id}/run`);
    const runId = String(body['runId']);
    await api
      .db('jobs')
      .where({ id: runId })
      .update({ status: 'failed', finished_at: api.db.fn.now() });
    if (state === 'trashed') await call('DELETE', `/api/pipelines/${id}`);
    else await call('PATCH', `/api/pipelines/${id}/status`, { status: 'archived' });
    const refused = await call('POST', `/api/runs/${runId}/retry`);
    expect(refused).toMatchObject({ status: 409, body: { code: 'wrong_state' } });
    expect(refused.body['detail']).toContain(reason);
  });

  test('before the first run the status of a pipeline is nulls', async () => {
    const id = await makePipeline();
    expect((await call('GET', `/api/pipelines/${id}/execution-status`)).body).toEqual({
      pipelineId: id,
      runId: null,
      status: null,
      progress: { completedNodes: 0, totalNodes: 2 },
      startedAt: null,
    });
  });
});
