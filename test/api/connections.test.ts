/** What the generated tests cannot know: the rules of connections and API keys. */
import { makeClient } from './support/client.js';
import type { Client } from './support/client.js';
import { graph, pointers, startResources } from './support/resources.js';

type Resources = Awaited<ReturnType<typeof startResources>>;

let api: Resources['api'];
let call: Resources['call'];
let fresh: Resources['fresh'];
let makeConnection: Resources['makeConnection'];
let makePipeline: Resources['makePipeline'];

beforeAll(async () => {
  ({ api, call, fresh, makeConnection, makePipeline } = await startResources());
});
afterAll(() => api.close());

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
