import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import type { ConnectionConfig } from '../../../connectors/connector.js';
import { RunFailure } from '../../../core/failures.js';
import { json, startApi } from '../../support/apiServer.js';
import type { ApiServer } from '../../support/apiServer.js';
import { context, openHttp } from './opened.js';

let api: ApiServer;

beforeAll(async () => {
  api = await startApi();
});

afterAll(() => api.close());

const secret = 'planted-secret-4711';

/** Reads one page and gives up the connector. */
const get = async (
  config: Readonly<Record<string, unknown>> = {},
  signal?: AbortSignal,
  allowed?: string,
): Promise<string> => {
  const whole: ConnectionConfig = { baseUrl: api.origin, ...config };
  const connector = await openHttp(whole, 'source', allowed);
  try {
    const request = { config: { connectionId: '', path: '/orders' } };
    const chunks: Buffer[] = [];
    const read = connector.documents?.source?.read(request, { from: 0 }, context(signal));
    for await (const chunk of read ?? []) chunks.push(chunk);
    return Buffer.concat(chunks).toString();
  } finally {
    await connector.close();
  }
};

const failureOf = async (reading: Promise<unknown>): Promise<RunFailure['failure']> => {
  try {
    await reading;
  } catch (error) {
    if (!(error instanceof RunFailure)) throw error;
    expect(JSON.stringify(error.failure)).not.toContain(secret);
    return error.failure;
  }
  throw new Error('it went well');
};

describe('authorization', () => {
  it.each([
    [{ auth: { type: 'none' }, token: secret }, undefined],
    [{ auth: { type: 'bearer' }, token: secret }, `Bearer ${secret}`],
    [
      { auth: { type: 'basic', user: 'Ada' }, password: 'a:ü' },
      `Basic ${Buffer.from('Ada:a:ü').toString('base64')}`,
    ],
  ])('%j', async (config, expected) => {
    api.answer((_, answer) => json(answer, []));
    await get(config);
    expect(api.arrived[0]?.headers.authorization).toBe(expected);
  });

  it('by a key goes into the header that is named', async () => {
    api.answer((_, answer) => json(answer, []));
    await get({ auth: { type: 'apiKey', header: 'X-Shop-Key' }, apiKey: secret });
    expect(api.arrived[0]?.headers['x-shop-key']).toBe(secret);
  });

  it.each([
    [{ auth: { type: 'bearer' } }, 'token'],
    [{ auth: { type: 'basic', user: 'Ada' } }, 'password'],
    [{ auth: { type: 'apiKey' } }, 'apiKey'],
    [{ auth: { type: 'oauth2', tokenUrl: 'http://a.test/t', clientId: 'c' } }, 'clientSecret'],
    [{ auth: { type: 'bearer' }, token: `${secret}\r\nx: y` }, 'token'],
  ])('says what is missing or cannot be sent: %j', async (config, key) => {
    api.answer((_, answer) => json(answer, []));
    const failure = await failureOf(get(config));
    expect(failure).toMatchObject({ code: 'config_invalid', class: 'config' });
    expect(failure.message).toContain(key);
    expect(api.arrived).toHaveLength(0);
  });

  it.each([
    [401, 'login_refused', 'auth_failed'],
    [403, 'permission_denied', 'source_permission_denied'],
  ])('that is refused with %i is said to be', async (status, reason, code) => {
    api.answer((_, answer) => json(answer, { message: secret }, status));
    expect(await failureOf(get({ auth: { type: 'bearer' }, token: secret }))).toMatchObject({
      reason,
      code,
    });
  });
});

describe('a token of OAuth', () => {
  const config = () => ({
    auth: {
      type: 'oauth2',
      tokenUrl: `${api.origin}/token?v=1`,
      clientId: 'a:b',
      scope: 'read write',
    },
    clientSecret: secret,
  });

  it('is asked for as the client, once for many requests', async () => {
    api.answer(({ url }, answer) => {
      if (url.pathname === '/token') json(answer, { access_token: 'T1', expires_in: 3600 });
      else json(answer, []);
    });
    const connector = await openHttp({ baseUrl: api.origin, ...config() });
    await connector.check?.(context());
    await connector.check?.(context());
    await connector.close();
    const [token, ...others] = api.arrived;
    expect(token?.method).toBe('POST');
    expect(token?.body).toBe('grant_type=client_credentials&scope=read+write');
    expect(token?.headers.authorization).toBe(
      `Basic ${Buffer.from(`a%3Ab:${secret}`).toString('base64')}`,
    );
    expect(others.map(({ headers }) => headers.authorization)).toEqual(['Bearer T1', 'Bearer T1']);
  });

  it('may be asked for in a body', async () => {
    api.answer((_, answer) => json(answer, { access_token: 'T1' }));
    const { auth, clientSecret } = config();
    await get({ auth: { ...auth, credentialsIn: 'body' }, clientSecret });
    const form = new URLSearchParams(api.arrived[0]?.body);
    expect(form.get('client_id')).toBe('a:b');
    expect(form.get('client_secret')).toBe(secret);
    expect(api.arrived[0]?.headers.authorization).toBeUndefined();
  });

  it('is renewed when it is refused before its time, once', async () => {
    let tokens = 0;
    api.answer(({ url, headers }, answer) => {
      if (url.pathname === '/token') json(answer, { access_token: `T${++tokens}` });
      else json(answer, [{ id: 1 }], headers.authorization === 'Bearer T2' ? 200 : 401);
    });
    expect(await get(config())).toBe('{"id":1}\n');
    expect(tokens).toBe(2);

    tokens = 10;
    expect((await failureOf(get(config()))).reason).toBe('login_refused');
    expect(tokens).toBe(12);
  });

  it.each([
    [400, '{"error":"invalid_client"}', 'login_refused'],
    [200, '{"token":"x"}', undefined],
    [200, '<html>', undefined],
  ])('that is not given fails: %i %s', async (status, body, reason) => {
    api.answer((_, answer) => json(answer, body, status));
    const failure = await failureOf(get(config()));
    expect(failure).toMatchObject({ code: 'auth_failed' });
    expect(failure.reason).toBe(reason);
    expect(failure.message).toContain(reason ? '/token:' : 'access_token');
    expect(failure.message).not.toContain('v=1');
    expect(api.arrived).toHaveLength(1);
  });
});

describe('headers', () => {
  it('of the connection go with every request', async () => {
    api.answer((_, answer) => json(answer, []));
    await get({ headers: { 'X-Tenant': 'a', Accept: 'application/vnd.shop+json' } });
    expect(api.arrived[0]?.headers).toMatchObject({
      'x-tenant': 'a',
      accept: 'application/vnd.shop+json',
    });
  });

  it.each(['Host', 'content-length', 'Transfer-Encoding', 'authorization', 'a b', 'x\r\ny', ''])(
    'cannot be %j',
    async (name) => {
      api.answer((_, answer) => json(answer, []));
      const failure = await failureOf(get({ headers: { [name]: 'x' } }));
      expect(failure.message).toContain('headers of the connection');
    },
  );

  it('have no line ends in their values', async () => {
    const failure = await failureOf(get({ headers: { 'x-a': `${secret}\r\nx-b: c` } }));
    expect(failure.message).toContain('"x-a" is no header');
  });
});

describe('what may pass is asked for again', () => {
  it.each([429, 503, 500, 408])('%i', async (status) => {
    api.answer((_, answer) => {
      if (api.arrived.length > 1) json(answer, [{ id: 1 }]);
      else answer.writeHead(status, { 'retry-after': '0' }).end();
    });
    expect(await get()).toBe('{"id":1}\n');
    expect(api.arrived).toHaveLength(2);
  });

  it('a connection that breaks, also within an answer', async () => {
    api.answer((_, answer) => {
      if (api.arrived.length > 1) {
        json(answer, [{ id: 1 }]);
        return;
      }
      answer.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
      answer.write('[{"id":1},', () => answer.destroy());
    });
    expect(await get()).toBe('{"id":1}\n');
    expect(api.arrived).toHaveLength(2);
  });

  it('but not for ever', async () => {
    api.answer((_, answer) => answer.writeHead(429, { 'retry-after': '0' }).end());
    const failure = await failureOf(get());
    expect(failure).toMatchObject({ code: 'source_unreachable', class: 'rate_limit' });
    expect(api.arrived).toHaveLength(5);
  });

  it('and not now where that would take too long', async () => {
    api.answer((_, answer) => answer.writeHead(503, { 'retry-after': '3600' }).end());
    const failure = await failureOf(get());
    expect(failure).toMatchObject({ code: 'source_unreachable', class: 'rate_limit' });
    expect(failure.message).toContain('left alone for 3600 seconds');
    expect(api.arrived).toHaveLength(1);
  });

  it('unless nobody wants it any more', async () => {
    const stop = new AbortController();
    const reason = new Error('stop');
    api.answer((_, answer) => {
      answer.writeHead(503, { 'retry-after': '100' }).end(() => stop.abort(reason));
    });
    await expect(get({}, stop.signal)).rejects.toBe(reason);
  });
});

it.each([
  [404, 'config_invalid', /nothing at this address/],
  [405, 'config_invalid', /does not take this method/],
  [418, 'config_invalid', /refused the request/],
])('says of %i what to do', async (status, code, message) => {
  api.answer((_, answer) => json(answer, { message: secret }, status));
  const failure = await failureOf(get());
  expect(failure).toMatchObject({ code, class: 'config' });
  expect(failure.message).toMatch(message);
  expect(api.arrived).toHaveLength(1);
});

it('follows no redirect, and says where it leads', async () => {
  api.answer((_, answer) => {
    answer.writeHead(302, { location: `${api.origin}/elsewhere?key=${secret}` }).end();
  });
  const failure = await failureOf(get());
  expect(failure.message).toContain(`leads elsewhere (${api.origin}/elsewhere)`);
  expect(api.arrived).toHaveLength(1);
});

it('gives up an answer that never begins', async () => {
  api.answer(() => undefined);
  expect(await failureOf(get({ timeoutSeconds: 1 }))).toMatchObject({ reason: 'connect_timeout' });
});

it('gives up an answer that is too large, packed or not', async () => {
  const block = Buffer.alloc(1024 * 1024, ' ');
  api.answer((_, answer) => {
    answer.writeHead(200, { 'content-type': 'application/json' });
    const more = (): void => {
      if (!answer.destroyed) answer.write(block, more);
    };
    more();
  });
  const failure = await failureOf(get());
  expect(failure.message).toContain('larger than 67108864 bytes: ask for smaller pages');
});

describe('an end that cannot be reached', () => {
  it('has the words that all connectors have', async () => {
    const probe = createServer();
    await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
    const { port } = probe.address() as AddressInfo;
    await new Promise((resolve) => probe.close(resolve));
    expect(await failureOf(get({ baseUrl: `http://127.0.0.1:${port}` }))).toMatchObject({
      reason: 'connection_refused',
    });
    expect(await failureOf(get({ baseUrl: 'http://nowhere.invalid' }))).toMatchObject({
      reason: 'host_unknown',
    });
  });

  it('is told from one that speaks no TLS', async () => {
    const baseUrl = api.origin.replace('http:', 'https:');
    expect(await failureOf(get({ baseUrl }))).toMatchObject({ reason: 'tls_mismatch' });
  });
});

describe('a check', () => {
  const check = async (config: object = {}) => {
    const connector = await openHttp({ baseUrl: api.origin, ...config });
    try {
      return await connector.check?.(context());
    } finally {
      await connector.close();
    }
  };

  it('is content with a base that has nothing, as long as it answers', async () => {
    api.answer((_, answer) => answer.writeHead(404, { server: 'shop/1.2' }).end());
    expect(await check()).toEqual({ serverVersion: 'shop/1.2', notes: [] });
  });

  it('wants what is at checkPath', async () => {
    api.answer(({ url }, answer) => json(answer, {}, url.pathname === '/me' ? 200 : 404));
    expect(await check({ checkPath: '/me' })).toEqual({ serverVersion: null, notes: [] });
    expect((await failureOf(check({ checkPath: '/you' }))).message).toContain('nothing at this');
  });

  it('sees that the login is refused', async () => {
    api.answer((_, answer) => answer.writeHead(401).end());
    expect(await failureOf(check())).toMatchObject({ reason: 'login_refused' });
  });
});

describe('addresses that are not public', () => {
  const forms = (port: number): string[] =>
    [
      '127.0.0.1',
      '127.1',
      '2130706433',
      '0x7f.1',
      '0x7f000001',
      '0177.0.0.1',
      '017700000001',
      '127。0。0。1',
      '①②⑦.⓪.⓪.①',
      '[::ffff:127.0.0.1]',
      '[::ffff:7f00:1]',
      '[0:0:0:0:0:ffff:127.0.0.1]',
      '[::127.0.0.1]',
      '[64:ff9b::127.0.0.1]',
      'localhost',
      'ⓛⓞⓒⓐⓛⓗⓞⓢⓣ',
      '0.0.0.0',
      '[::]',
    ].map((host) => `http://${host}:${port}`);

  it('are refused in every notation, and nobody is connected to', async () => {
    api.answer((_, answer) => json(answer, []));
    const before = api.connections();
    for (const baseUrl of forms(api.port)) {
      expect([baseUrl, (await failureOf(get({ baseUrl }, undefined, ''))).code]).toEqual([
        baseUrl,
        'egress_denied',
      ]);
    }
    for (const tokenUrl of forms(api.port)) {
      const auth = { type: 'oauth2', tokenUrl, clientId: 'c' };
      const oauth = { auth, clientSecret: secret, baseUrl: 'http://192.0.2.1' };
      expect((await failureOf(get(oauth, undefined, ''))).code).toBe('egress_denied');
    }
    expect(api.connections()).toBe(before);
  });

  it('do not hide behind a user or a fragment', async () => {
    const before = api.connections();
    for (const baseUrl of [
      `http://8.8.8.8@127.0.0.1:${api.port}`,
      `http://8.8.8.8:80#@127.0.0.1:${api.port}/`,
      `http://a:b@127.0.0.1:${api.port}`,
    ]) {
      const { code } = await failureOf(get({ baseUrl }, AbortSignal.timeout(3_000), ''));
      expect(['config_invalid', 'egress_denied']).toContain(code);
    }
    expect(api.connections()).toBe(before);
  });
});
