import { startFramework } from './support/server.js';
import type { Framework } from './support/server.js';
import { thingTables } from './support/things.js';

let api: Framework;
beforeAll(async () => {
  api = await startFramework({ tables: thingTables });
});
afterAll(() => api.close());

const asJson = { 'content-type': 'application/json' };

const issues = async (body: string): Promise<unknown> => {
  const { status, json } = await api.send('/api/things', { body, headers: asJson });
  expect(status).toBe(400);
  return json['errors'];
};

describe('JSON bodies', () => {
  test('every mistake is named, by pointer and code', async () => {
    const found = await issues(
      '{"name":"","colour":"blue","size":"1","foo/bar~":1,"parts":[{"id":1},{}]}',
    );
    expect(found).toEqual(
      expect.arrayContaining([
        { pointer: '/name', code: 'pattern', message: 'Must not be blank.' },
        {
          pointer: '/colour',
          code: 'enum',
          message: 'Must be one of "red", "green".',
        },
        { pointer: '/size', code: 'type', message: 'Must be integer or null.' },
        {
          pointer: '/foo~1bar~0',
          code: 'unknown_field',
          message: 'There is no field "foo/bar~" here.',
        },
        { pointer: '/parts/0/id', code: 'type', message: 'Must be string.' },
        { pointer: '/parts/1/id', code: 'required', message: 'The field "id" is required.' },
      ]),
    );
  });

  test('the branch of a union that has the right type says what is wrong', async () => {
    expect(await issues('{"name":"x","size":-1}')).toEqual([
      { pointer: '/size', code: 'range', message: 'Must be >= 0.' },
    ]);
  });

  test('a name must have a visible sign and end at 200', async () => {
    expect(await issues('{"name":"   "}')).toMatchObject([{ pointer: '/name', code: 'pattern' }]);
    expect(await issues(JSON.stringify({ name: 'x'.repeat(201) }))).toMatchObject([
      { pointer: '/name', code: 'too_long' },
    ]);
  });

  test('nothing is coerced', async () => {
    expect(await issues('{"name":7}')).toMatchObject([{ pointer: '/name', code: 'type' }]);
  });

  test('an absent body of a route that needs fields names them', async () => {
    const { status, json } = await api.send('/api/things', { method: 'POST' });
    expect(status).toBe(400);
    expect(json['errors']).toMatchObject([{ pointer: '/name', code: 'required' }]);
  });

  test.each(['{', '{"name":"x"} x', '', "{'name':1}", 'undefined', '{"name":"x",}'])(
    '%p is malformed',
    async (body) => {
      const { status, json } = await api.send('/api/things', {
        body: body === '' ? ' ' : body,
        headers: asJson,
      });
      expect(status).toBe(400);
      expect(json['code']).toBe('malformed_body');
    },
  );

  test('so is what is not UTF-8', async () => {
    const body = Buffer.from('7b226e616d65223a22ff227d', 'hex');
    const { json } = await api.send('/api/things', { body, headers: asJson });
    expect(json['code']).toBe('malformed_body');
  });

  test.each(['null', '[]', '"x"', '1'])('a body that is %s is not an object', async (body) => {
    expect(await issues(body)).toMatchObject([{ pointer: '', code: 'type' }]);
  });

  test('64 levels are enough', async () => {
    const nested = (levels: number): string =>
      `{"name":"deep ${levels}","config":{"a":${'['.repeat(levels)}${']'.repeat(levels)}}}`;
    const send = (levels: number) =>
      api.send('/api/things', { body: nested(levels), headers: asJson });
    expect((await send(62)).status).toBe(200);
    const refused = await send(63);
    expect(refused.status).toBe(400);
    expect(refused.json['code']).toBe('malformed_body');
    expect((await send(200_000)).status).toBe(400);
  });

  test('an array holds at most 10,000 items, also where nobody looks', async () => {
    const long = JSON.stringify({ name: 'x', config: { list: Array(10_001).fill(0) } });
    expect(await issues(long)).toMatchObject([{ pointer: '/config/list', code: 'too_long' }]);
  });

  test('what PostgreSQL cannot hold is refused where it stands', async () => {
    expect(
      await issues('{"name":"a\\u0000b","config":{"k/":["\\ud800"],"\\u0000":1}}'),
    ).toMatchObject([
      { pointer: '/name', code: 'text' },
      { pointer: '/config/k~1/0', code: 'text' },
      { code: 'text' },
    ]);
    expect((await api.send('/api/things', { json: { name: 'whole pair 😀' } })).status).toBe(200);
  });

  test('a number beyond a double is refused, not turned into null', async () => {
    expect(await issues('{"name":"x","config":{"n":1e400}}')).toMatchObject([
      { pointer: '/config/n', code: 'range' },
    ]);
  });

  test('__proto__ and constructor are fields like others', async () => {
    expect(await issues('{"name":"x","__proto__":{"admin":true}}')).toMatchObject([
      { pointer: '/__proto__', code: 'unknown_field' },
    ]);
    const open = '{"name":"inert","config":{"__proto__":{"admin":true},"constructor":1}}';
    expect((await api.send('/api/things', { body: open, headers: asJson })).status).toBe(200);
    expect(({} as Record<string, unknown>)['admin']).toBeUndefined();
  });
});

describe('queries', () => {
  test('are coerced to what they spell, and lists gather', async () => {
    const { json } = await api.send('/api/things/echo?enabled=false&size=12&tag=a&tag=b%20c');
    expect(json).toEqual({ enabled: false, size: 12, tag: ['a', 'b c'] });
  });

  test.each([
    ['nope=1', '/nope', 'unknown_parameter'],
    ['__proto__=1', '/__proto__', 'unknown_parameter'],
    ['search=a&search=b', '/search', 'repeated'],
    ['enabled=yes', '/enabled', 'type'],
    ['size=1.5', '/size', 'type'],
    ['size=0', '/size', 'range'],
    ['size=', '/size', 'type'],
    ['colour=blue', '/colour', 'enum'],
    ['since=2026-02-30', '/since', 'format'],
    ['search=a%00b', '/search', 'text'],
    ['search=%ff', '', 'format'],
    ['search=%ed%a0%80', '', 'format'],
    ['limit=0', '/limit', 'range'],
    ['limit=-1', '/limit', 'range'],
    ['limit=ten', '/limit', 'range'],
    ['limit=1e1', '/limit', 'range'],
    ['limit=1&limit=2', '/limit', 'repeated'],
  ])('%s: %s %s', async (query, pointer, code) => {
    const { status, json } = await api.send(`/api/things?${query}`);
    expect(status).toBe(400);
    expect(json['errors']).toMatchObject([{ pointer, code }]);
  });

  test('a route without parameters has none', async () => {
    const { json } = await api.send('/api/things/export?limit=1');
    expect(json['errors']).toMatchObject([{ pointer: '/limit', code: 'unknown_parameter' }]);
  });

  test('several mistakes, in query and body, come back together', async () => {
    const { json } = await api.send('/api/things?a=1&b=2', { json: { name: '' } });
    expect(json['errors']).toHaveLength(3);
  });
});

describe('path and headers', () => {
  test('a text in a path is decoded once', async () => {
    expect((await api.send('/api/names/a%2Fb%25')).json).toEqual({ name: 'a/b%' });
  });

  test.each([
    ['%00', 'text'],
    ['%zz', 'format'],
    ['%ff', 'format'],
  ])('%s in one is %s', async (text, code) => {
    const { status, json } = await api.send(`/api/names/${text}`);
    expect(status).toBe(400);
    expect(json['errors']).toMatchObject([{ pointer: '/name', code }]);
  });

  test('a text that cannot be a name there names nothing', async () => {
    expect((await api.send(`/api/names/${'x'.repeat(21)}`)).status).toBe(404);
  });

  test('declared headers are validated and handed over', async () => {
    const sent = await api.send('/api/things/echo', { headers: { 'if-match': '"1"', other: 'x' } });
    expect(sent.json).toEqual({ 'if-match': '"1"' });
    const long = await api.send('/api/things/echo', { headers: { 'if-match': 'x'.repeat(11) } });
    expect(long.json['errors']).toMatchObject([{ pointer: '/if-match', code: 'too_long' }]);
  });
});

describe('the catalog', () => {
  const send = (body: string, query = '') =>
    api.send(`/v1/longs${query}`, { body, headers: asJson });

  test('lets unknown fields and parameters pass, and the first of repeated ones count', async () => {
    const { status, json } = await send('{"snapshot":1,"new":2}', '?x=1&known=a&known=b');
    expect(status).toBe(200);
    expect(json).toEqual({ snapshot: 1, new: 2, known: 'a' });
  });

  test('keeps 63-bit integers, and texts that look like them', async () => {
    const body =
      '{"snapshot":9223372036854775807,"rest":{"a":[-9007199254740993,1.5,12345678901234567.5],' +
      '"t":"9007199254740993","u":"\\"9007199254740993","w":"\\\\u0000long:1"}}';
    const { text } = await send(body);
    expect(text).toBe(body.replace('12345678901234567.5', '12345678901234568'));
  });

  test('refuses what is no 64-bit integer', async () => {
    for (const snapshot of ['9223372036854775808', '1.5', '"1"']) {
      expect((await send(`{"snapshot":${snapshot}}`)).json['error']).toMatchObject({
        type: 'BadRequestException',
        code: 400,
      });
    }
  });

  test('a mark that only we write cannot be forged', async () => {
    const forged = '{"snapshot":9007199254740993,"rest":{"a":"\\u0000\\u006cong:5"}}';
    expect((await send(forged)).status).toBe(400);
  });

  test('a form is a body like another', async () => {
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const body = 'grant_type=client_credentials&client_id=a%2Bb+c&scope=catalog';
    expect((await api.bare('/v1/oauth/tokens', { body, headers: form })).json).toEqual({
      id: 'a+b c',
    });
    const json = { grant_type: 'client_credentials', client_id: 'x' };
    expect((await api.bare('/v1/oauth/tokens', { json })).json).toEqual({ id: 'x' });
    const wrong = await api.bare('/v1/oauth/tokens', { body: 'client_id=%zz', headers: form });
    expect(wrong.json).toMatchObject({ error: 'invalid_request' });
  });
});
