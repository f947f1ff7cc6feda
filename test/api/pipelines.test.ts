/** What the generated tests cannot know: the rules of projects and pipelines. */
import { graph, nobody, pointers, startResources } from './support/resources.js';

type Resources = Awaited<ReturnType<typeof startResources>>;

let api: Resources['api'];
let call: Resources['call'];
let makeProject: Resources['makeProject'];
let makePipeline: Resources['makePipeline'];

beforeAll(async () => {
  ({ api, call, makeProject, makePipeline } = await startResources());
});
afterAll(() => api.close());

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

  test('many at once do not get past the quota', async () => {
    const projectId = await makeProject();
    const live = await api.db('pipelines').whereNull('deleted_at').select('id');
    await api.db('workspaces').update({ max_pipelines: live.length + 3 });
    const answers = await Promise.all(
      Array.from({ length: 12 }, () =>
        call('POST', '/api/pipelines', { name: 'n', projectId, nodes: [], edges: [] }),
      ),
    );
    await api.db('workspaces').update({ max_pipelines: 1000 });
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(3);
    expect(answers.filter(({ status }) => status === 403)).toHaveLength(9);
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
