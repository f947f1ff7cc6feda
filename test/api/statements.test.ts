import { startRealTables } from './support/realTables.js';

/**
 * What a request costs the database: one statement to read a thing by its id, five to create a
 * plain one, seven with an Idempotency-Key; beginning and ending a transaction does not count.
 */
let api: Awaited<ReturnType<typeof startRealTables>>;

beforeAll(async () => {
  api = await startRealTables();
});
afterAll(() => api.close());

const call = async (method: string, path: string, body?: object, key?: string) => {
  const response = await fetch(api.url + path, {
    method,
    headers: {
      authorization: `Bearer ${api.token}`,
      ...(body && { 'content-type': 'application/json' }),
      ...(key !== undefined && { 'idempotency-key': key }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  expect(response.status).toBeLessThan(300);
  return (await response.json()) as { id: string; runId: string; data: { id: string } };
};

const spent = async (work: () => Promise<unknown>): Promise<string[]> => {
  await call('GET', '/api/scopes'); // the key is known now
  api.statements.length = 0;
  await work();
  return api.statements.filter((sql) => !/^(begin|commit)/i.test(sql));
};

test('reading by id is one statement', async () => {
  const project = await call('POST', '/api/projects', { name: 'one' });
  const connection = await call('POST', '/api/connections', {
    name: 'one',
    type: 'postgres',
    config: { host: 'h', database: 'd', user: 'u', password: 'p' },
  });
  const credential = await call('POST', '/api/credentials', {
    name: 'one',
    type: 'postgres',
    fields: { password: 'p' },
  });
  const pipeline = await call('POST', '/api/pipelines', {
    name: 'one',
    projectId: project.id,
    nodes: [
      {
        id: 'a',
        type: 'source.generate',
        config: { rows: 1, columns: [{ name: 'n', generator: 'sequence' }] },
      },
      {
        id: 'b',
        type: 'destination.table',
        config: { connectionId: connection.id, table: 't', mode: 'append' },
      },
    ],
    edges: [{ id: 'e', source: 'a', target: 'b' }],
  });
  const { runId } = await call('POST', `/api/pipelines/${pipeline.id}/run`);
  const key = await call('POST', '/api/user/api-keys', { name: 'one', scopes: ['*:read'] });
  for (const path of [
    `/api/projects/${project.id}`,
    `/api/connections/${connection.id}`,
    `/api/credentials/${credential.id}`,
    `/api/pipelines/${pipeline.id}`,
    `/api/runs/${runId}`,
    `/api/user/api-keys/${key.data.id}`,
  ]) {
    const statements = await spent(() => call('GET', path));
    expect({ path, statements }).toMatchObject({ path, statements: { length: 1 } });
  }
});

test.each([
  ['/api/projects', { name: 'plain' }],
  [
    '/api/connections',
    { name: 'plain', type: 'postgres', config: { host: 'h', database: 'd', user: 'u' } },
  ],
  ['/api/credentials', { name: 'plain', type: 'postgres', fields: { password: 'p' } }],
  ['/api/user/api-keys', { name: 'plain', scopes: ['*:read'] }],
])('creating at %s is at most five, with a key seven', async (path, body) => {
  const plain = await spent(() => call('POST', path, body));
  expect(plain.length).toBeLessThanOrEqual(5);
  const keyed = await spent(() => call('POST', path, { ...body, name: 'keyed' }, 'a-key'));
  expect(keyed.length).toBeGreaterThan(plain.length);
  expect(keyed.length).toBeLessThanOrEqual(7);
});
