/**
 * Every route, asked by one workspace for what is another one's: the answer is that of an id nobody
 * has, and nothing of the other has changed.
 */
import { tables } from '../../api/routes/index.js';
import type { Route } from '../../api/route.js';
import { roleScopes } from '../../core/permissions.js';
import { newApiKey } from '../../secrets/apiKeys.js';
import { makeClient } from './support/client.js';
import type { Client } from './support/client.js';
import { graph, nobody, startResources } from './support/resources.js';

type Resources = Awaited<ReturnType<typeof startResources>>;

let ours: Resources;
let theirs: Client;
let ids: Readonly<Record<string, string>>;

/** A second workspace of the same organization, with a person and a key of its own. */
const makeWorkspace = async ({ api }: Resources): Promise<string> => {
  const key = newApiKey();
  await api.db.raw(
    `with space as (
       insert into workspaces (organization_id, name, max_concurrent_runs, max_pipelines, max_connections)
       select id, 'Other', 10, 100, 100 from organizations returning id, organization_id
     ), person as (
       insert into users (organization_id, email, display_name)
       select organization_id, 'other@localhost', 'other' from space returning id
     ), member as (
       insert into memberships (organization_id, workspace_id, user_id, role)
       select space.organization_id, space.id, person.id, 'owner' from space, person
       returning workspace_id, user_id
     )
     insert into api_keys (workspace_id, user_id, name, prefix, hash, scopes)
     select workspace_id, user_id, 'other', :prefix, :hash, :scopes from member`,
    { prefix: key.prefix, hash: key.hash, scopes: [...roleScopes.owner] },
  );
  return key.secret;
};

beforeAll(async () => {
  ours = await startResources();
  theirs = makeClient(ours.api.url, await makeWorkspace(ours));
  const idOf = async (path: string, body: object): Promise<string> => {
    const answer = await theirs('POST', path, body);
    expect(answer.status).toBeLessThan(300);
    const { id, runId, data } = answer.body as {
      id?: string;
      runId?: string;
      data?: { id: string };
    };
    return id ?? runId ?? data?.id ?? '';
  };
  const projects = await idOf('/api/projects', { name: 'theirs' });
  const connections = await idOf('/api/connections', {
    name: 'theirs',
    type: 'postgres',
    config: { host: 'h', database: 'd', user: 'u', password: 'p' },
  });
  const pipelines = await idOf('/api/pipelines', {
    name: 'theirs',
    projectId: projects,
    ...graph(connections),
  });
  const runs = await idOf(`/api/pipelines/${pipelines}/run`, {});
  const keys = await idOf('/api/user/api-keys', { name: 'theirs', scopes: ['*:read'] });
  const credentials = await idOf('/api/credentials', {
    name: 'theirs',
    type: 'postgres',
    fields: { password: 'p' },
  });
  ids = { projects, connections, credentials, pipelines, runs, 'user/api-keys': keys };
});
afterAll(() => ours.api.close());

const routes: readonly Route[] = tables.flatMap((table) => table.routes);
const withId = routes.filter(({ path }) => path.includes('{id}'));
const bodies: Readonly<Record<string, object>> = { 'pipelines.setStatus': { status: 'draft' } };

/** What these routes want to know beside the id. */
const queries: Readonly<Record<string, string>> = {
  'connections.columns': '?table=t',
  'connections.preview': '?table=t',
  'connections.cloudSchema': '?path=a.csv',
};

const resourceOf = ({ path }: Route): string => /^\/api\/(.+?)\/\{id\}/.exec(path)?.[1] ?? '';

/** Everything the other workspace owns, as one text. */
const possessions = async (): Promise<string> => {
  const { rows } = await ours.api.db.raw<{ rows: { name: string }[] }>(
    `select table_name as name from information_schema.columns
      where table_schema = 'public' and column_name = 'workspace_id' and table_name <> 'audit_log' order by 1`,
  );
  const parts = await Promise.all(
    rows.map(async ({ name }) => {
      const all = await ours.api.db.raw<{ rows: unknown[] }>(
        `select * from ?? t where workspace_id = (select id from workspaces where name = 'Other')
          order by t::text`,
        [name],
      );
      return [name, all.rows.map((row) => ({ ...(row as object), last_used_at: null }))];
    }),
  );
  return JSON.stringify(parts);
};

test('every resource with an id has one of theirs to ask for', () => {
  expect([...new Set(withId.map(resourceOf))].sort()).toEqual(Object.keys(ids).sort());
});

test('their ids are unknown to us, whatever we do with them', async () => {
  const before = await possessions();
  for (const route of withId) {
    const answer = async (id: string) => {
      const path = route.path.replace('{id}', id) + (queries[route.name] ?? '');
      const body = route.body ? (bodies[route.name] ?? {}) : undefined;
      const { status, body: problem } = await ours.call(route.method, path, body);
      return { ...problem, status, instance: '', request_id: '' };
    };
    const asked = await answer(ids[resourceOf(route)] ?? '');
    expect({ route: route.name, ...asked }).toMatchObject({
      route: route.name,
      status: 404,
      code: 'not_found',
    });
    expect({ route: route.name, ...(await answer(nobody)) }).toEqual({
      route: route.name,
      ...asked,
    });
  }
  expect(await possessions()).toBe(before);
});

test('naming theirs in a body or a query is naming nothing', async () => {
  const { call, makePipeline, makeProject } = ours;
  const { projects = '', connections = '', credentials = '', pipelines = '' } = ids;
  const config = { host: 'h', database: 'd', user: 'u' };
  const ownConnection = await ours.makeConnection();
  const refusals = [
    call('POST', '/api/pipelines', { name: 'n', projectId: projects, nodes: [], edges: [] }),
    call('POST', `/api/pipelines/${await makePipeline()}/run`, { environmentId: nobody }),
    ...[nobody, credentials].flatMap((credentialId) => [
      call('POST', '/api/connections', { name: 'n', type: 'postgres', config, credentialId }),
      call('PUT', `/api/connections/${ownConnection}`, { credentialId }),
      call('POST', '/api/connections/test', { type: 'postgres', config, credentialId }),
    ]),
    ...[nobody, connections].flatMap((connectionId) => [
      call('GET', `/api/connections/tables?connectionId=${connectionId}`),
      call('GET', `/api/connections/columns?connectionId=${connectionId}&table=t`),
      call('POST', '/api/connections/test-query', { connectionId, sql: 'select 1' }),
      call('POST', '/api/connections/lakehouse/discover', { connectionId }),
    ]),
    call('GET', `/api/pipelines?projectId=${projects}`),
    call('GET', `/api/pipelines?folderId=${nobody}`),
    call('GET', `/api/runs?pipelineId=${pipelines}`),
  ];
  for (const refusal of refusals) {
    expect(await refusal).toMatchObject({ status: 400, body: { code: 'reference_not_found' } });
  }
  const named = await call('POST', '/api/pipelines', {
    name: 'n',
    projectId: await makeProject(),
    ...graph(connections),
  });
  const active = await call('PATCH', `/api/pipelines/${named.body.id}/status`, {
    status: 'active',
  });
  expect(active).toMatchObject({ status: 400, body: { code: 'invalid_graph' } });
});

test('their lists and ours have nothing in common', async () => {
  for (const path of [
    '/api/projects',
    '/api/pipelines',
    '/api/connections',
    '/api/credentials',
    '/api/runs',
    '/api/user/api-keys',
  ]) {
    const list = async (client: Client) =>
      ((await client('GET', path)).body['data'] as { id: string }[]).map(({ id }) => id);
    const seen = new Set(await list(ours.call));
    expect((await list(theirs)).filter((id) => seen.has(id))).toEqual([]);
  }
});
