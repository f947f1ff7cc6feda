/** What becomes of a connection's settings and secrets when it is changed, and of credentials. */
import { pointers, startResources } from './support/resources.js';

type Resources = Awaited<ReturnType<typeof startResources>>;

let api: Resources['api'];
let call: Resources['call'];
let fresh: Resources['fresh'];

beforeAll(async () => {
  ({ api, call, fresh } = await startResources());
});
afterAll(() => api.close());

const config = { host: 'h', database: 'd', user: 'u' };

const make = async (more: object = {}) => {
  const { body } = await call('POST', '/api/connections', {
    name: fresh('connection'),
    type: 'postgres',
    config: { ...config, password: 'first' },
    ...more,
  });
  return body;
};

const makeCredential = async (fields: object = { password: 'shared' }, type = 'postgres') => {
  const { body } = await call('POST', '/api/credentials', {
    name: fresh('credential'),
    type,
    fields,
  });
  return body;
};

/** What a worker would connect with. */
const joined = async (id: string): Promise<Record<string, unknown>> => {
  const stored = await api.repos.connections.withSecrets(api.principal, id);
  if (!stored) throw new Error('it is gone');
  const { credentialId, sealed } = stored;
  const secrets =
    credentialId === null || sealed === null
      ? {}
      : (JSON.parse(
          api.box.open(sealed, { table: 'credentials', row: credentialId, field: 'sealed' }),
        ) as object);
  return { ...(JSON.parse(stored.config) as object), ...secrets };
};

const orphans = async (): Promise<number> => {
  const { rows } = await api.db.raw<{ rows: unknown[] }>(
    `select from credentials c where implicit
        and not exists (select from connections where credential_id = c.id)`,
  );
  return rows.length;
};

describe('changing a connection', () => {
  test('merges by key: what is left out stays, null removes, the mask keeps a secret', async () => {
    const { id } = await make({ config: { ...config, port: 5433, password: 'first' } });
    const changed = await call('PUT', `/api/connections/${id}`, {
      config: { port: null, user: 'other', password: '********' },
    });
    expect(changed).toMatchObject({
      status: 200,
      body: { config: { host: 'h', database: 'd', user: 'other' } },
    });
    expect(changed.body['config']).not.toHaveProperty('port');
    expect(await joined(id)).toEqual({ ...config, user: 'other', password: 'first' });
    await call('PUT', `/api/connections/${id}`, { config: { password: 'second' } });
    expect(await joined(id)).toEqual({ ...config, user: 'other', password: 'second' });
    await call('PUT', `/api/connections/${id}`, { config: { password: null } });
    expect(await joined(id)).toEqual({ ...config, user: 'other' });
    expect((await call('GET', `/api/connections/${id}`)).body['credentialId']).toBeNull();
    expect(await orphans()).toBe(0);
  });

  test('answers as GET shows it, and moves updatedAt only if something is different', async () => {
    const made = await make();
    const path = `/api/connections/${made.id}`;
    const { body: before } = await call('GET', path);
    const editable = Object.fromEntries(
      ['name', 'config', 'credentialId'].map((key) => [key, before[key]]),
    );
    for (const nothing of [{}, { config: {} }, { config: { password: 'first' } }, editable]) {
      expect((await call('PUT', path, nothing)).body).toEqual(before);
    }
    for (const something of [
      { name: fresh('renamed') },
      { config: { host: 'elsewhere' } },
      { config: { password: 'another' } },
    ]) {
      const { body: last } = await call('GET', path);
      const { body: next } = await call('PUT', path, something);
      expect((next['updatedAt'] as string) > (last['updatedAt'] as string)).toBe(true);
      expect((await call('GET', path)).body).toEqual(next);
    }
  });

  test('refuses another type, a taken name, and a config that does not fit', async () => {
    const one = await make();
    const other = await make();
    const path = `/api/connections/${one.id}`;
    for (const type of ['postgres', 'local']) {
      expect(await call('PUT', path, { type })).toMatchObject({
        status: 400,
        body: { errors: [{ pointer: '/type', code: 'immutable' }] },
      });
    }
    expect(await call('PUT', path, { name: other['name'] })).toMatchObject({
      status: 409,
      body: { code: 'duplicate' },
    });
    expect(pointers(await call('PUT', path, { config: { host: null } }))).toEqual(['/config/host']);
    expect(pointers(await call('PUT', path, { config: { port: 'x' } }))).toEqual(['/config/port']);
    expect((await call('GET', path)).body).toEqual(one);
  });

  test('moves between secrets of its own and a shared credential', async () => {
    const { id } = await make();
    const path = `/api/connections/${id}`;
    const credential = await makeCredential();
    const moved = await call('PUT', path, { credentialId: credential.id });
    expect(moved.body['credentialId']).toBe(credential.id);
    expect(await joined(id)).toMatchObject({ password: 'shared' });
    expect(await orphans()).toBe(0);
    // Both at once would leave open which one counts.
    expect(pointers(await call('PUT', path, { config: { password: 'typed' } }))).toEqual([
      '/config/password',
    ]);
    const back = await call('PUT', path, { credentialId: null, config: { password: 'typed' } });
    expect(back.status).toBe(200);
    expect(await joined(id)).toMatchObject({ password: 'typed' });
    expect((await call('DELETE', `/api/credentials/${credential.id}`)).status).toBe(200);
  });

  test('takes credentials of its own type only, and never what another connection typed', async () => {
    const { id } = await make();
    const { credentialId: anothers } = (await make()) as unknown as { credentialId: string };
    const path = `/api/connections/${id}`;
    expect(await call('PUT', path, { credentialId: anothers })).toMatchObject({
      status: 400,
      body: { code: 'reference_not_found' },
    });
    const s3 = await makeCredential({ secretAccessKey: 'k' }, 's3');
    for (const refused of [
      call('PUT', path, { credentialId: s3.id }),
      call('POST', '/api/connections', {
        name: 'n',
        type: 'postgres',
        config,
        credentialId: s3.id,
      }),
      call('POST', '/api/connections/test', { type: 'postgres', config, credentialId: s3.id }),
    ]) {
      expect(await refused).toMatchObject({
        status: 400,
        body: { errors: [{ pointer: '/credentialId', code: 'type_mismatch' }] },
      });
    }
  });

  test('needs config on create, even an empty one', async () => {
    const body = { name: 'n', type: 'postgres' };
    expect(pointers(await call('POST', '/api/connections', body))).toEqual(['/config']);
    expect(pointers(await call('POST', '/api/connections/test', { type: 'postgres' }))).toEqual([
      '/config',
    ]);
  });
});

describe('credentials', () => {
  test('show which fields are set and who uses them, never what is in them', async () => {
    const made = await makeCredential({ password: 'canary-5150' });
    expect(made).toMatchObject({
      type: 'postgres',
      implicit: false,
      fieldsSet: ['password'],
      connectionCount: 0,
      connections: [],
    });
    const { id, name } = await make({ config, credentialId: made.id });
    const got = await call('GET', `/api/credentials/${made.id}`);
    expect(got.body).toMatchObject({ connectionCount: 1, connections: [{ id, name }] });
    const listed = await call('GET', '/api/credentials?type=postgres&search=CREDENTIAL');
    const items = listed.body['data'] as { id: string }[];
    expect(items.map((item) => item.id)).toContain(made.id);
    expect((await call('GET', '/api/credentials?type=s3')).body['data']).not.toContainEqual(
      expect.objectContaining({ id: made.id }),
    );
    expect(JSON.stringify([made, got, listed])).not.toContain('canary');
  });

  test('what is typed into a connection is one of its own: not listed, known by its id', async () => {
    const { credentialId } = (await make()) as unknown as { credentialId: string };
    const { body } = await call('GET', `/api/credentials/${credentialId}`);
    expect(body).toMatchObject({ implicit: true, fieldsSet: ['password'], connectionCount: 1 });
    const { body: list } = await call('GET', '/api/credentials');
    expect((list['data'] as { id: string }[]).map(({ id }) => id)).not.toContain(credentialId);
  });

  test('rotate: the next call of a connection has the new secret', async () => {
    const made = await makeCredential();
    const { id } = await make({ config, credentialId: made.id });
    const path = `/api/credentials/${made.id}`;
    const renamed = await call('PUT', path, {
      name: fresh('renamed'),
      fields: { password: '********' },
    });
    expect(renamed.body['lastRotatedAt']).toBe(made['lastRotatedAt']);
    expect(await joined(id)).toMatchObject({ password: 'shared' });
    const rotated = await call('PUT', path, { fields: { password: 'fresh' } });
    expect((rotated.body['lastRotatedAt'] as string) > (made['lastRotatedAt'] as string)).toBe(
      true,
    );
    expect(await joined(id)).toMatchObject({ password: 'fresh' });
    const emptied = await call('PUT', path, { fields: { password: null } });
    expect(emptied.body['fieldsSet']).toEqual([]);
    expect((await call('PUT', path, {})).body).toEqual(emptied.body);
  });

  test('are not deleted while a connection uses them', async () => {
    const made = await makeCredential();
    const { id } = await make({ config, credentialId: made.id });
    expect(await call('DELETE', `/api/credentials/${made.id}`)).toMatchObject({
      status: 409,
      body: { code: 'in_use', details: { references: [{ type: 'connection', id }] } },
    });
    await call('DELETE', `/api/connections/${id}`);
    expect(await call('DELETE', `/api/credentials/${made.id}`)).toMatchObject({
      status: 200,
      body: { ok: true, id: made.id },
    });
    expect((await call('GET', `/api/credentials/${made.id}`)).status).toBe(404);
  });

  test('hold secrets of their type, and have names of their own', async () => {
    const name = fresh('taken');
    const body = { name, type: 'postgres', fields: { password: 'p' } };
    await call('POST', '/api/credentials', body);
    expect(await call('POST', '/api/credentials', body)).toMatchObject({
      status: 409,
      body: { code: 'duplicate' },
    });
    const wrong = (fields: object) =>
      call('POST', '/api/credentials', { name: fresh('wrong'), type: 'postgres', fields });
    expect(pointers(await wrong({ host: 'h' }))).toEqual(['/fields/host']);
    expect(pointers(await wrong({ password: 7 }))).toEqual(['/fields/password']);
    expect(
      (await call('POST', '/api/credentials', { name: 'n', type: 'abacus', fields: {} })).status,
    ).toBe(400);
  });
});

test('every connection type says how it is configured, with an example that fits', async () => {
  const { body } = await call('GET', '/api/connection-types');
  const types = body['data'] as { type: string; example: object; secretKeys: string[] }[];
  expect(types.map(({ type }) => type)).toEqual(expect.arrayContaining(['local', 'postgres']));
  for (const { type, example } of types) {
    const made = await call('POST', '/api/connections', {
      name: fresh(type),
      type,
      config: example,
    });
    expect({ type, status: made.status, errors: made.body['errors'] }).toEqual({
      type,
      status: 200,
      errors: undefined,
    });
  }
});
