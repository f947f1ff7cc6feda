import { createServer } from 'node:http';
import type { Server } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import { readBody } from '../../api/body.js';
import { startFramework } from './support/server.js';
import type { Framework } from './support/server.js';
import { call } from './support/http.js';
import { thingTables } from './support/things.js';

let api: Framework;
beforeAll(async () => {
  api = await startFramework({ tables: thingTables });
});
afterAll(() => api.close());

const someId = '0192f3a1-0000-7000-8000-000000000001';

describe('methods and paths', () => {
  test('an unknown route is 404 route_not_found, with or without a token', async () => {
    const answer = await api.bare('/api/nothing');
    expect(answer.status).toBe(404);
    expect(answer.headers['content-type']).toBe('application/problem+json');
    expect(answer.json).toMatchObject({ code: 'route_not_found', instance: '/api/nothing' });
    expect((await api.send('/api/things/')).json['code']).toBe('route_not_found');
    expect((await api.send('/API/things')).json['code']).toBe('route_not_found');
    expect((await api.send('/')).json['code']).toBe('route_not_found');
  });

  test.each([
    ['PATCH', '/api/things', 'GET, HEAD, POST'],
    ['PUT', `/api/things/${someId}`, 'DELETE, GET, HEAD'],
    ['OPTIONS', '/api/things', 'GET, HEAD, POST'],
    ['POST', '/healthz', 'GET, HEAD'],
  ])('%s %s is 405 with Allow', async (method, path, allow) => {
    const answer = await api.send(path, { method });
    expect(answer.status).toBe(405);
    expect(answer.headers['allow']).toBe(allow);
    expect(answer.json['code']).toBe('method_not_allowed');
  });

  test('HEAD is GET without the body', async () => {
    const full = await api.send('/api/widgets');
    const head = await api.send('/api/widgets', { method: 'HEAD' });
    expect(head.status).toBe(200);
    expect(head.text).toBe('');
    expect(head.headers['content-length']).toBe(String(full.text.length));
    expect((await api.send('/api/things/export', { method: 'HEAD' })).text).toBe('');
  });

  test('a literal wins over a parameter, whatever the order in the table', async () => {
    expect((await api.send('/api/things/echo?size=3')).json).toEqual({ size: 3 });
  });

  test.each(['abc', 'ABCDEF01-0000-7000-8000-000000000001', `${someId}0`, '%00', '%zz'])(
    'a malformed id (%s) is 404, like an unknown one',
    async (id) => {
      const unknown = await api.send(`/api/things/${someId}`);
      const malformed = await api.send(`/api/things/${id}`);
      expect(unknown.status).toBe(404);
      expect(malformed.status).toBe(404);
      expect(malformed.json['code']).toBe(unknown.json['code']);
    },
  );
});

describe('what every answer carries', () => {
  test.each(['/api/widgets', '/api/nothing', '/healthz', '/v1/nothing'])('%s', async (path) => {
    const { headers } = await api.send(path);
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
    });
    expect(headers['content-security-policy']).toContain("default-src 'none'");
    expect(headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('a request id is echoed when it is one, and replaced when it is not', async () => {
    const echoed = await api.bare('/api/nothing', { headers: { 'x-request-id': 'run-7.a:b_C' } });
    expect(echoed.headers['x-request-id']).toBe('run-7.a:b_C');
    expect(echoed.json['request_id']).toBe('run-7.a:b_C');
    for (const bad of ['a b', 'x'.repeat(129), '<script>', '']) {
      const { headers } = await api.bare('/api/nothing', { headers: { 'x-request-id': bad } });
      expect(headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
    }
  });

  test('the request id is on the log of an internal error, with its stack; the answer has neither', async () => {
    const answer = await api.send('/api/things/crash', {
      method: 'POST',
      headers: { 'x-request-id': 'find-me' },
    });
    expect(answer.status).toBe(500);
    expect(answer.json).toMatchObject({ code: 'internal', request_id: 'find-me' });
    expect(answer.text).not.toMatch(/hunter2|select|at .*\.ts/);
    const line = api.fake.logged.find((one) => one['requestId'] === 'find-me' && one['err']);
    expect(line).toMatchObject({ route: 'things.crash', err: { message: /hunter2/ } });
  });
});

describe('media types and sizes', () => {
  const body = JSON.stringify({ name: 'typed' });

  test.each([
    ['text/plain', 415],
    ['application/x-www-form-urlencoded', 415],
    ['application/json; charset=latin1', 415],
    ['application/jsonp', 415],
    ['application/json', 200],
    ['Application/JSON; charset=UTF-8', 200],
    ['application/merge-patch+json', 200],
  ])('%s: %i', async (type, status) => {
    const name = `typed ${type}`;
    const answer = await api.send('/api/things', {
      body: JSON.stringify({ name }),
      headers: { 'content-type': type },
    });
    expect(answer.status).toBe(status);
    if (status === 415) expect(answer.json['code']).toBe('unsupported_media_type');
  });

  test('bytes without a type, or encoded ones, are 415', async () => {
    expect((await api.send('/api/things', { body })).status).toBe(415);
    const zipped = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
    expect((await api.send('/api/things', { body, headers: zipped })).status).toBe(415);
  });

  test('a type without bytes is no body: 415 only when bytes arrive', async () => {
    const path = `/api/gadgets/${someId}/start`;
    const answers = await Promise.all([
      api.send(path, { method: 'POST' }),
      api.send(path, { method: 'POST', headers: { 'content-type': 'text/plain' } }),
      api.send(path, { method: 'POST', body: '', chunked: true }),
      api.send(path, { json: {} }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  });

  test('a route without a body takes an empty object and nothing else', async () => {
    expect((await api.send('/api/probe', { json: {} })).status).toBe(200);
    const answer = await api.send('/api/probe', { json: { name: 'x' } });
    expect(answer.status).toBe(400);
    expect(answer.json['errors']).toMatchObject([{ pointer: '/name', code: 'unknown_field' }]);
  });

  test.each([
    ['announced', false],
    ['chunked', true],
  ])('more than 1 MiB, %s, is 413', async (_how, chunked) => {
    const answer = await api.send('/api/things', {
      body: Buffer.alloc(1024 * 1024 + 1, 0x20),
      chunked,
      headers: { 'content-type': 'application/json' },
    });
    expect(answer.status).toBe(413);
    expect(answer.json).toMatchObject({ code: 'body_too_large', details: { maxBytes: 1048576 } });
  });

  test('a route may take more', async () => {
    const body = Buffer.alloc(1024 * 1024 + 1);
    expect((await api.bare('/api/hooks/x', { body })).json).toEqual({ received: body.length });
  });

  test('far more than the limit is refused before it is sent', async () => {
    const answer = await call(`${api.url}/api/things`, {
      method: 'POST',
      token: api.token,
      headers: { 'content-type': 'application/json', 'content-length': '1000000000' },
    }).catch((error: unknown) => error);
    expect(answer).toMatchObject({ status: 413, headers: { connection: 'close' } });
  });

  test('a client that leaves in the middle of its body is nobody to answer', async () => {
    const { port } = new URL(api.url);
    const socket = connect(Number(port), '127.0.0.1');
    socket.write(
      `POST /api/things HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${api.token}\r\n` +
        'content-type: application/json\r\nx-request-id: gone\r\ncontent-length: 100\r\n\r\n{"a":',
      () => setImmediate(() => socket.destroy()),
    );
    const seen = () => api.fake.logged.some((line) => line['requestId'] === 'gone');
    while (!seen()) await new Promise((resolve) => setImmediate(resolve));
    const lines = api.fake.logged.filter((line) => line['requestId'] === 'gone');
    expect(lines.map((line) => line['level'])).not.toContain(50);
  });
});

describe('a body that does not come', () => {
  let served: Server;
  let outcome: Promise<unknown>;
  beforeAll(async () => {
    served = createServer((request, response) => {
      outcome = readBody(request, { maxBytes: 10, timeoutMs: 50 }).catch((error: unknown) => error);
      void outcome.then(() => response.end());
    });
    await new Promise<void>((resolve) => served.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => served.close());

  test('is refused when its time is over, and the line is closed', async () => {
    const { port } = served.address() as AddressInfo;
    const socket = connect(port, '127.0.0.1');
    socket.write('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\n\r\nab');
    await new Promise((resolve) => socket.once('data', resolve));
    expect(await outcome).toMatchObject({
      code: 'malformed_body',
      message: 'The body did not arrive within 0.05 s.',
      details: { closeConnection: true },
    });
    socket.destroy();
  });
});

test('the signal of a handler fires when its client goes away', async () => {
  const aborted = new Promise<void>((resolve) => {
    api.fake.ports.live = (_scope, _call, _question, signal) =>
      new Promise((answer) => {
        signal.addEventListener('abort', () => {
          resolve();
          answer({ issues: [] } as never);
        });
        setImmediate(() => socket.destroy());
      });
  });
  const socket = connect(Number(new URL(api.url).port), '127.0.0.1');
  socket.write(`POST /api/probe HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${api.token}\r\n\r\n`);
  await aborted;
});

describe('a base prefix', () => {
  let prefixed: Framework;
  beforeAll(async () => {
    prefixed = await startFramework({ tables: thingTables, basePrefix: '/v1' });
  });
  afterAll(() => prefixed.close());

  test('stands before /api, and the unprefixed routes are gone', async () => {
    expect((await prefixed.send('/v1/api/widgets')).status).toBe(200);
    const gone = await prefixed.send('/api/widgets');
    expect(gone.status).toBe(404);
    expect(gone.json['code']).toBe('route_not_found');
  });

  test('does not swallow the catalog, and each keeps its own error shape', async () => {
    expect((await prefixed.send('/v1/tables/t')).json).toEqual({
      error: { message: 'No t.', type: 'NoSuchTableException', code: 404 },
    });
    expect((await prefixed.send('/v1/nothing')).json['error']?.['type']).toBe('NotFoundException');
    const problem = await prefixed.send('/v1/api/nothing');
    expect(problem.headers['content-type']).toBe('application/problem+json');
    expect(problem.json['code']).toBe('route_not_found');
  });

  test('health stays at the root, and the document names the mounted paths', async () => {
    expect((await prefixed.bare('/healthz')).status).toBe(200);
    const { json } = await prefixed.bare('/openapi.json');
    expect(Object.keys(json['paths'] ?? {})).toContain('/v1/api/things');
  });
});
