import { makeAuthenticator } from '../../api/auth.js';
import { addressClass } from '../../api/metrics.js';
import { newApiKey } from '../../secrets/apiKeys.js';
import { makeFakePorts } from './support/fakePorts.js';
import { startFramework } from './support/server.js';
import type { Framework } from './support/server.js';
import { thingTables } from './support/things.js';

let api: Framework;
beforeAll(async () => {
  api = await startFramework({ tables: thingTables });
});
afterAll(() => api.close());

const soon = (milliseconds: number): Date => new Date(Date.now() + milliseconds);

describe('401', () => {
  const unauthenticated = async (authorization: string | undefined) => {
    const headers = authorization === undefined ? {} : { authorization };
    const answer = await api.bare('/api/things', { headers });
    expect(answer.status).toBe(401);
    expect(answer.json['code']).toBe('unauthenticated');
    return answer.headers['www-authenticate'];
  };

  test('without a token the challenge is bare', async () => {
    expect(await unauthenticated(undefined)).toBe('Bearer');
    expect(await unauthenticated('Basic YTpi')).toBe('Bearer');
    expect(await unauthenticated('Bearer')).toBe('Bearer');
    expect(await unauthenticated('Bearer a b')).toBe('Bearer');
  });

  test('what cannot be a key is refused before anybody is asked', async () => {
    const before = api.fake.counts.finds;
    const { secret } = newApiKey();
    for (const token of [
      'x',
      'flx_short',
      `${secret.slice(0, -1)}!`,
      secret.slice(0, -6) + '000000',
    ]) {
      expect(await unauthenticated(`Bearer ${token}`)).toBe('Bearer error="invalid_token"');
    }
    expect(api.fake.counts.finds).toBe(before);
  });

  test('an unknown key, and one that has expired', async () => {
    const challenge = 'Bearer error="invalid_token"';
    expect(await unauthenticated(`Bearer ${newApiKey().secret}`)).toBe(challenge);
    const { secret } = api.fake.issue(['*:*'], { expiresAt: soon(-1) });
    expect(await unauthenticated(`Bearer ${secret}`)).toBe(challenge);
  });

  test('in the shape of the catalog on the catalog', async () => {
    const answer = await api.bare('/v1/tables/t');
    expect(answer.status).toBe(401);
    expect(answer.json['error']).toMatchObject({ type: 'NotAuthorizedException', code: 401 });
    expect(answer.headers['www-authenticate']).toBe('Bearer');
  });

  test('is counted by reason and kind of address, never by address', async () => {
    const { text } = await api.bare('/metrics');
    expect(text).toMatch(
      /http_auth_failures_total\{reason="missing",address_class="loopback"\} \d/,
    );
    expect(text).toMatch(/reason="malformed"/);
    expect(text).not.toContain('127.0.0.1');
  });
});

describe('scopes', () => {
  test('403 names the scope that is missing', async () => {
    const { secret } = api.fake.issue(['projects:write', 'folders:read']);
    const answer = await api.bare('/api/things', { token: secret });
    expect(answer.status).toBe(403);
    expect(answer.headers['www-authenticate']).toBe(
      'Bearer error="insufficient_scope", scope="projects:read"',
    );
    expect(answer.json).toMatchObject({
      code: 'insufficient_scope',
      details: { scope: 'projects:read' },
    });
  });

  test('wildcards open', async () => {
    const { secret } = api.fake.issue(['*:read']);
    expect((await api.bare('/api/things', { token: secret })).status).toBe(200);
    expect((await api.bare('/api/things', { token: secret, json: { name: 'n' } })).status).toBe(
      403,
    );
  });

  test('the scope is judged before the request is read', async () => {
    const { secret } = api.fake.issue(['*:read']);
    const answer = await api.bare('/api/things?nope=1', { token: secret, body: '{' });
    expect(answer.json['code']).toBe('insufficient_scope');
  });
});

describe('the cache', () => {
  afterEach(() => jest.useRealTimers());

  const makeOne = () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
    const fake = makeFakePorts();
    return { fake, authenticator: makeAuthenticator(fake.keys, fake.ports.log) };
  };

  test('asks once in five seconds, however many requests there are', async () => {
    const { fake, authenticator } = makeOne();
    const header = `Bearer ${fake.issue(['*:*']).secret}`;
    await Promise.all(Array.from({ length: 20 }, () => authenticator.authenticate(header)));
    expect(fake.counts).toMatchObject({ finds: 1, touches: 1 });
    jest.advanceTimersByTime(4_999);
    await authenticator.authenticate(header);
    expect(fake.counts.finds).toBe(1);
    jest.advanceTimersByTime(1);
    await authenticator.authenticate(header);
    expect(fake.counts.finds).toBe(2);
  });

  test('expiry is looked at every time, also while the key is cached', async () => {
    const { fake, authenticator } = makeOne();
    const header = `Bearer ${fake.issue(['*:*'], { expiresAt: soon(1_000) }).secret}`;
    await authenticator.authenticate(header);
    jest.advanceTimersByTime(1_000);
    await expect(authenticator.authenticate(header)).rejects.toMatchObject({ status: 401 });
    expect(fake.counts.finds).toBe(1);
  });

  test.each([
    ['its hash', true],
    ['nothing in particular', false],
  ])('an eviction by %s is effective at once', async (_how, byHash) => {
    const { fake, authenticator } = makeOne();
    const { secret, hash } = fake.issue(['*:*']);
    await authenticator.authenticate(`Bearer ${secret}`);
    fake.found.delete(hash);
    await authenticator.authenticate(`Bearer ${secret}`);
    authenticator.evict(byHash ? hash : undefined);
    await expect(authenticator.authenticate(`Bearer ${secret}`)).rejects.toMatchObject({
      status: 401,
    });
  });

  test('an eviction during a lookup is not forgotten when the lookup ends', async () => {
    const { fake, authenticator } = makeOne();
    const { secret, hash } = fake.issue(['*:*']);
    const early = authenticator.authenticate(`Bearer ${secret}`);
    authenticator.evict(hash);
    await early;
    fake.found.delete(hash);
    await expect(authenticator.authenticate(`Bearer ${secret}`)).rejects.toMatchObject({
      status: 401,
    });
  });

  test('guesses are not kept, and a failed lookup is tried again', async () => {
    const { fake, authenticator } = makeOne();
    const guess = `Bearer ${newApiKey().secret}`;
    await expect(authenticator.authenticate(guess)).rejects.toMatchObject({ status: 401 });
    await expect(authenticator.authenticate(guess)).rejects.toMatchObject({ status: 401 });
    expect(fake.counts.finds).toBe(2);
    const { secret } = fake.issue(['*:*']);
    const find = jest.spyOn(fake.keys, 'find').mockRejectedValueOnce(new Error('database down'));
    await expect(authenticator.authenticate(`Bearer ${secret}`)).rejects.toThrow('database down');
    await expect(authenticator.authenticate(`Bearer ${secret}`)).resolves.toBeDefined();
    expect(find).toHaveBeenCalledTimes(2);
  });
});

test.each([
  ['127.0.0.1', 'loopback'],
  ['::1', 'loopback'],
  ['10.1.2.3', 'private'],
  ['172.31.0.1', 'private'],
  ['fe80::1', 'private'],
  ['8.8.8.8', 'public'],
  ['2001:4860::1', 'public'],
  ['', 'public'],
])('%s is %s', (address, expected) => {
  expect(addressClass(address)).toBe(expected);
});
