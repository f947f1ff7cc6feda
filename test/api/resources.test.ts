/** What the generated tests cannot know: the rules of each resource. */
import { makeClient } from './support/client.js';
import type { Client } from './support/client.js';
import { startRealTables } from './support/realTables.js';

let api: Awaited<ReturnType<typeof startRealTables>>;
let call: Client;

beforeAll(async () => {
  api = await startRealTables();
  call = makeClient(api.url, api.token);
});
afterAll(() => api.close());

let number = 0;
const fresh = (what: string): string => `${what} ${(number += 1)}`;
const nobody = '0197f5f6-0000-7000-8000-000000000000';

const makeProject = async (): Promise<string> =>
  (await call('POST', '/api/projects', { name: fresh('project') })).body.id;

const makeConnection = async (): Promise<string> =>
  (
    await call('POST', '/api/connections', {
      name: fresh('connection'),
      type: 'postgres',
      config: { host: 'h', database: 'd', user: 'u', password: 'hush' },
    })
  ).body.id;

const graph = (connectionId: string) => ({
  nodes: [
    {
      id: 'a',
      type: 'source.generate',
      config: { rows: 1, columns: [{ name: 'n', generator: 'sequence' }] },
      position: { x: 1, y: 2 },
    },
    { id: 'b', type: 'destination.table', config: { connectionId, table: 't', mode: 'append' } },
  ],
  edges: [{ id: 'e', source: 'a', target: 'b' }],
});

const makePipeline = async (more: object = {}): Promise<string> =>
  (
    await call('POST', '/api/pipelines', {
      name: fresh('pipeline'),
      projectId: await makeProject(),
      ...graph(await makeConnection()),
      ...more,
    })
  ).body.id;

const pointers = ({ body }: { body: Readonly<Record<string, unknown>> }): string[] =>
  (body['errors'] as { pointer: string }[]).map(({ pointer }) => pointer);

describe('projects', () => {
  test('absent keeps, null clears, and nothing changed moves nothing', async () => {
    const { body: made } = await call('POST', '/api/projects', { name: 'P', description: 'd' });
    const same = await call('PUT', `/api/projects/${made.id}`, {});
    expect(same).toMatchObject({
      status: 200,
      body: { name: 'P', description: 'd', updatedAt: made['updatedAt'] },
    });
    const cleared = await call('PUT', `/api/projects/${made.id}`, { description: null });
    expect(cleared.body).toMatchObject({ name: 'P', description: null });
    expect(cleared.body['updatedAt']).not.toBe(made['updatedAt']);
    expect((await call('GET', `/api/projects/${made.id}`)).body).toEqual(cleared.body);
  });

  test('search is a case-insensitive part of the name, with % and _ literal', async () => {
    for (const name of ['Sales 100%', 'sales_eu', 'salesXeu'])
      await call('POST', '/api/projects', { name });
    const found = async (search: string) =>
      (
        (await call('GET', `/api/projects?search=${encodeURIComponent(search)}`)).body['data'] as {
          name: string;
        }[]
      ).map(({ name }) => name);
    expect(await found('100%')).toEqual(['Sales 100%']);
    expect(await found('SALES_')).toEqual(['sales_eu']);
  });

  test('one with pipelines is not deleted, cascade or not, unless the workspace allows it', async () => {
    const projectId = await makeProject();
    const pipelineId = await makePipeline({ projectId });
    const refused = await call('DELETE', `/api/projects/${projectId}`);
    expect(refused).toMatchObject({
      status: 409,
      body: {
        code: 'in_use',
        details: { pipelines: 1, references: [{ type: 'pipeline', id: pipelineId }] },
      },
    });
    expect((await call('DELETE', `/api/projects/${projectId}?cascade=true`)).status).toBe(409);
    await api.db('workspaces').update({ allow_project_cascade: true });
    const gone = await call('DELETE', `/api/projects/${projectId}?cascade=true`);
    await api.db('workspaces').update({ allow_project_cascade: false });
    expect(gone).toMatchObject({ status: 200, body: { ok: true, id: projectId } });
    expect((await call('GET', `/api/projects/${projectId}`)).status).toBe(404);
    expect((await call('GET', `/api/pipelines/${pipelineId}`)).body).toMatchObject({
      deleted: true,
      projectId: null,
    });
  });
});

describe('pipelines', () => {
  test('a draft may be incomplete; what is missing comes back', async () => {
    const made = await call('POST', '/api/pipelines', {
      name: 'draft',
      projectId: await makeProject(),
      nodes: [{ id: 'x', type: 'source.magic', mine: { kept: [1.5, 'ü'] } }],
      edges: [],
    });
    expect(made.status).toBe(200);
    expect(made.body['status']).toBe('draft');
    expect((made.body['warnings'] as object[]).length).toBeGreaterThan(0);
    const { body } = await call('GET', `/api/pipelines/${made.body.id}`);
    expect(body['nodes']).toEqual([{ id: 'x', type: 'source.magic', mine: { kept: [1.5, 'ü'] } }]);
    const refused = await call('PATCH', `/api/pipelines/${made.body.id}/status`, {
      status: 'active',
    });
    expect(refused).toMatchObject({ status: 400, body: { code: 'invalid_graph' } });
    expect(pointers(refused)).toContain('/nodes/0/type');
  });

  test('contradictions are refused even in a draft', async () => {
    const projectId = await makeProject();
    const node = { id: 'x', type: 'source.generate' };
    const refused = await call('POST', '/api/pipelines', {
      name: 'n',
      projectId,
      nodes: [node, node],
      edges: [{ id: 'e' }],
    });
    expect(refused.status).toBe(400);
    expect(pointers(refused)).toEqual(
      expect.arrayContaining(['/nodes/1/id', '/edges/0/source', '/edges/0/target']),
    );
  });

  test('references are looked up in the workspace, and named', async () => {
    const unknown = await call('POST', '/api/pipelines', {
      name: 'n',
      projectId: nobody,
      nodes: [],
      edges: [],
    });
    expect(unknown).toMatchObject({ status: 400, body: { code: 'reference_not_found' } });
    expect(pointers(unknown)).toEqual(['/projectId']);
    const projectId = await makeProject();
    const folder = await call('POST', '/api/pipelines', {
      name: 'n',
      projectId,
      folderId: nobody,
      nodes: [],
      edges: [],
    });
    expect(pointers(folder)).toEqual(['/folderId']);
    const pipelineId = await makePipeline(graph(nobody));
    const active = await call('PATCH', `/api/pipelines/${pipelineId}/status`, { status: 'active' });
    expect(pointers(active)).toEqual(['/nodes/1/config/connectionId']);
    const run = await call('POST', `/api/pipelines/${await makePipeline()}/run`, {
      environmentId: nobody,
    });
    expect(pointers(run)).toEqual(['/environmentId']);
  });

  test('a change is a new version; the same graph again is not', async () => {
    const id = await makePipeline();
    const before = (await call('GET', `/api/pipelines/${id}`)).body;
    const same = await call('PUT', `/api/pipelines/${id}`, { nodes: before['nodes'] });
    expect(same.body).toMatchObject({ version: 1, updatedAt: before['updatedAt'] });
    const changed = await call('PUT', `/api/pipelines/${id}`, { edges: [] });
    expect(changed.body).toMatchObject({ version: 2, edges: [], nodes: before['nodes'] });
  });

  test('an active pipeline stays valid', async () => {
    const id = await makePipeline();
    expect(
      (await call('PATCH', `/api/pipelines/${id}/status`, { status: 'active' })).body['status'],
    ).toBe('active');
    expect((await call('PUT', `/api/pipelines/${id}`, { edges: [] })).status).toBe(400);
    expect((await call('GET', `/api/pipelines/${id}`)).body['version']).toBe(1);
  });

  test('archived and trashed ones do not run', async () => {
    const id = await makePipeline();
    await call('PATCH', `/api/pipelines/${id}/status`, { status: 'archived' });
    expect(await call('POST', `/api/pipelines/${id}/run`)).toMatchObject({
      status: 409,
      body: { code: 'wrong_state' },
    });
    const first = await call('DELETE', `/api/pipelines/${id}`);
    expect(await call('DELETE', `/api/pipelines/${id}`)).toEqual(first);
    expect((await call('GET', `/api/pipelines/${id}`)).body).toMatchObject({
      deleted: true,
      deletedAt: first.body['deletedAt'],
    });
    for (const [method, path, body] of [
      ['POST', 'run', {}],
      ['PATCH', 'status', { status: 'draft' }],
      ['PUT', '', { edges: [] }],
    ] as const) {
      const answer = await call(method, `/api/pipelines/${id}${path && `/${path}`}`, body);
      expect({ path, status: answer.status }).toEqual({ path, status: 409 });
    }
    const listed = (await call('GET', '/api/pipelines')).body['data'] as { id: string }[];
    expect(listed.map((row) => row.id)).not.toContain(id);
  });

  test('the list shows exactly what the interface says, and the total', async () => {
    const projectId = await makeProject();
    const id = await makePipeline({ projectId, name: 'listed' });
    const { body } = await call('GET', `/api/pipelines?projectId=${projectId}`);
    expect(body['meta']).toEqual({ total: 1 });
    const [row] = body['data'] as object[];
    expect(Object.keys(row ?? {}).sort()).toEqual([
      'folderId',
      'id',
      'name',
      'projectId',
      'status',
      'updatedAt',
    ]);
    expect(row).toMatchObject({ id, name: 'listed', folderId: null, status: 'draft' });
    expect((await call('GET', '/api/pipelines?status=sleeping')).status).toBe(400);
  });

  test('the quota refuses one too many', async () => {
    await api.db('workspaces').update({ max_pipelines: 0 });
    const refused = await call('POST', '/api/pipelines', {
      name: 'n',
      projectId: await makeProject(),
      nodes: [],
      edges: [],
    });
    await api.db('workspaces').update({ max_pipelines: 1000 });
    expect(refused).toMatchObject({ status: 403, body: { code: 'quota_exceeded' } });
  });
});

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

describe('connections', () => {
  test('secrets go in and never come out, not even in the database', async () => {
    const name = fresh('secretive');
    const made = await call('POST', '/api/connections', {
      name,
      type: 'postgres',
      config: { host: 'h', database: 'd', user: 'u', password: 'canary-4711' },
    });
    expect(made.body).toMatchObject({
      name,
      type: 'postgres',
      config: { host: 'h', database: 'd', user: 'u' },
    });
    const got = await call('GET', `/api/connections/${made.body.id}`);
    expect(got.body).toEqual(made.body);
    expect(JSON.stringify([made, got])).not.toContain('canary-4711');
    const { rows } = await api.db.raw<{ rows: { dump: string }[] }>(
      `select (select json_agg(c) from connections c)::text || (select json_agg(c) from credentials c)::text
           || (select json_agg(a) from audit_log a)::text as dump`,
    );
    expect(rows[0]?.dump).toContain('h');
    expect(rows[0]?.dump).not.toContain('canary-4711');
  });

  test('names are taken once, types are known, configs fit their type', async () => {
    const name = fresh('taken');
    const config = { host: 'h', database: 'd', user: 'u' };
    await call('POST', '/api/connections', { name, type: 'postgres', config });
    expect(
      await call('POST', '/api/connections', { name, type: 'postgres', config }),
    ).toMatchObject({
      status: 409,
      body: { code: 'duplicate' },
    });
    const unknown = await call('POST', '/api/connections', { name: 'x', type: 'abacus', config });
    expect(unknown.status).toBe(400);
    expect(JSON.stringify(unknown.body)).toContain('postgres');
    const wrong = await call('POST', '/api/connections', {
      name: 'x',
      type: 'postgres',
      config: { ...config, port: 'five' },
    });
    expect(pointers(wrong)).toEqual(['/config/port']);
  });

  test('one that an active pipeline uses is not deleted', async () => {
    const connectionId = await makeConnection();
    const pipelineId = await makePipeline(graph(connectionId));
    await call('PATCH', `/api/pipelines/${pipelineId}/status`, { status: 'active' });
    expect(await call('DELETE', `/api/connections/${connectionId}`)).toMatchObject({
      status: 409,
      body: { code: 'in_use', details: { references: [{ type: 'pipeline', id: pipelineId }] } },
    });
    await call('PATCH', `/api/pipelines/${pipelineId}/status`, { status: 'draft' });
    expect(await call('DELETE', `/api/connections/${connectionId}`)).toMatchObject({
      status: 200,
      body: { ok: true },
    });
    expect(
      await api.db('credentials').whereRaw('id not in (select credential_id from connections)'),
    ).toEqual([]);
  });
});

describe('API keys', () => {
  const make = async (client: Client, scopes: string[]) => {
    const { status, body } = await client('POST', '/api/user/api-keys', {
      name: 'k',
      scopes,
      expires_in_days: 1,
    });
    return { status, ...(body['data'] as { id: string; secret: string; prefix: string }) };
  };

  test('carry what they were given, and show their secret once', async () => {
    const made = await make(call, ['projects:read', 'api_keys:write']);
    expect(made).toMatchObject({ status: 201, last_used_at: null });
    expect(made.secret).toMatch(/^flx_[0-9A-Za-z]{36}$/);
    expect(made.secret.startsWith(made.prefix)).toBe(true);
    const { body } = await call('GET', `/api/user/api-keys/${made.id}`);
    expect(body['data']).not.toHaveProperty('secret');
    const theirs = makeClient(api.url, made.secret);
    expect((await theirs('GET', '/api/projects')).status).toBe(200);
    expect(await theirs('POST', '/api/projects', { name: 'n' })).toMatchObject({
      status: 403,
      body: { code: 'insufficient_scope' },
    });
  });

  test('never come to more than the key that makes or renews them', async () => {
    const narrow = await make(call, ['projects:read', 'api_keys:write']);
    const theirs = makeClient(api.url, narrow.secret);
    expect((await make(theirs, ['projects:read'])).status).toBe(201);
    expect((await make(theirs, ['projects:write'])).status).toBe(403);
    const wide = await make(call, ['*:*']);
    expect((await theirs('POST', `/api/user/api-keys/${wide.id}/regenerate`)).status).toBe(403);
    expect(
      (await call('POST', '/api/user/api-keys', { name: 'k', scopes: ['projects:fly'] })).status,
    ).toBe(400);
  });

  test('a renewed one dies at once, and so does a revoked one', async () => {
    const made = await make(call, ['projects:read']);
    const old = makeClient(api.url, made.secret);
    expect((await old('GET', '/api/projects')).status).toBe(200);
    const renewed = await call('POST', `/api/user/api-keys/${made.id}/regenerate`);
    const { id, secret } = renewed.body['data'] as { id: string; secret: string };
    expect(id).toBe(made.id);
    await api.settled();
    expect((await old('GET', '/api/projects')).status).toBe(401);
    const current = makeClient(api.url, secret);
    expect((await current('GET', '/api/projects')).status).toBe(200);
    expect((await call('DELETE', `/api/user/api-keys/${made.id}`)).status).toBe(204);
    await api.settled();
    expect((await current('GET', '/api/projects')).status).toBe(401);
  });
});
