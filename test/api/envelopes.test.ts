import { textOf } from './support/http.js';
import { startFramework } from './support/server.js';
import type { Framework } from './support/server.js';
import { thingTables } from './support/things.js';

let api: Framework;
beforeAll(async () => {
  api = await startFramework({ tables: thingTables });
});
afterAll(() => api.close());

const id = '0192f3a1-0000-7000-8000-000000000001';

describe('goldens', () => {
  test.each([
    [
      'B list',
      '/api/gadgets',
      '{"data":[{"id":"g1","type":"gadget","attributes":{"size":1}}],"meta":{"page":{"limit":50,"cursor":null}}}',
    ],
    ['C list of everything', '/api/widgets', '{"data":[{"id":"w1"},{"id":"w2"},{"id":"w3"}]}'],
    ['A, bare', '/api/things/echo?size=1', '{"size":1}'],
  ])('%s', async (_name, path, text) => {
    const answer = await api.send(path);
    expect(answer.text).toBe(text);
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
  });

  test('A one, and a plain create is 200', async () => {
    const { status, json } = await api.send('/api/things', { json: { name: 'golden' } });
    expect(status).toBe(200);
    expect(json).toEqual({ id: expect.any(String) as string, name: 'golden' });
  });

  test('B one', async () => {
    const { text } = await api.send(`/api/gadgets/${id}/start`, { json: { fast: true } });
    expect(text).toBe(`{"data":{"id":"${id}","type":"gadget","attributes":{"fast":true}}}`);
  });

  test('C one, created', async () => {
    const { status, json } = await api.send('/api/things/slow', { json: { name: 'c' } });
    expect(status).toBe(201);
    expect(json).toEqual({ data: { id: expect.any(String) as string, name: 'c', prepared: 'c' } });
  });

  test('nothing at all', async () => {
    const answer = await api.send(`/api/things/${id}`, { method: 'DELETE' });
    expect([answer.status, answer.text, answer.headers['content-type']]).toEqual([
      204,
      '',
      undefined,
    ]);
  });

  test('bare, raw', async () => {
    expect((await api.bare('/api/hooks/x', { body: 'abc' })).text).toBe('{"received":3}');
    const raw = await api.send('/api/things/export');
    expect(raw.text).toBe('a,b\n1,2\n');
    expect(raw.headers).toMatchObject({
      'content-type': 'text/csv',
      'content-disposition': 'attachment; filename="things.csv"',
    });
  });

  test('half a stream does not look like a whole one', async () => {
    await expect(api.send('/api/things/broken-export')).rejects.toThrow(/aborted|ECONNRESET/);
    const cut = api.fake.logged.find(({ msg }) => msg === 'an answer was cut off');
    expect(cut?.['err']).toMatchObject({ message: 'the source is gone' });
  });

  test('an answer that its schema does not describe fails the test that asked for it', async () => {
    expect((await api.send('/api/things/wrong')).status).toBe(500);
    const line = api.fake.logged.find(({ route, err }) => route === 'things.wrong' && err);
    expect(line?.['err']).toMatchObject({
      message: expect.stringContaining('things.wrong') as string,
    });
  });

  test('an ETag is sent, and believed', async () => {
    const { json } = await api.send('/api/things', { json: { name: 'tagged' } });
    const path = `/api/things/${textOf(json['id'])}`;
    const first = await api.send(path);
    expect(first.headers['etag']).toBe('"tagged"');
    const same = await api.send(path, { headers: { 'if-none-match': 'W/"x", "tagged"' } });
    expect([same.status, same.text]).toEqual([304, '']);
    expect((await api.send(path, { headers: { 'if-none-match': '"other"' } })).status).toBe(200);
  });
});

describe('pages', () => {
  const names = ['p1', 'p2', 'p3', 'p4', 'p5'];
  const list = (query: string, token = api.token) => api.send(`/api/things?${query}`, { token });
  let total: number;
  beforeAll(async () => {
    for (const name of names) await api.send('/api/things', { json: { name } });
    total = api.fake.state.things.length;
  });

  const walk = async (query: string): Promise<string[]> => {
    const seen: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const { json } = await list(`${query}${cursor === '' ? '' : `&cursor=${cursor}`}`);
      const data = json['data'] as unknown as { id: string }[];
      seen.push(...data.map((one) => one.id));
      cursor = (json['meta'] as unknown as { cursor: string | null }).cursor;
    }
    return seen;
  };

  test('the default size is the route’s, and a walk meets every item once', async () => {
    expect((await list('')).json['data']).toHaveLength(2);
    const seen = await walk('limit=2');
    expect(new Set(seen).size).toBe(total);
    expect(seen).toHaveLength(total);
    expect(seen).toEqual([...seen].sort().reverse());
  });

  test('more than a hundred is a hundred', async () => {
    expect((await list('limit=99999999999')).json['data']).toHaveLength(total);
    const { json } = await api.send('/api/gadgets?limit=101');
    expect(json['meta']).toEqual({ page: { limit: 100, cursor: null } });
  });

  const cursorOf = async (query: string): Promise<string> => {
    const { json } = await list(query);
    return (json['meta'] as unknown as { cursor: string }).cursor;
  };

  test('a cursor fits its list, its filters and its workspace only', async () => {
    const cursor = await cursorOf('limit=1&search=p');
    expect((await list(`limit=2&search=p&cursor=${cursor}`)).status).toBe(200);
    const other = api.fake.issue(['*:*']).secret;
    const abuses = [
      list(`search=q&cursor=${cursor}`),
      list(`cursor=${cursor}`),
      list(`search=p&cursor=${cursor}`, other),
      api.send(`/api/gadgets?cursor=${cursor}`),
      api.send(`/api/paged-widgets?cursor=${cursor}`),
    ];
    for (const { status, json } of await Promise.all(abuses)) {
      expect([status, json['code']]).toEqual([400, 'invalid_cursor']);
      expect(json['errors']).toMatchObject([{ pointer: '/cursor' }]);
    }
  });

  test('garbage is no cursor, also in our own form', async () => {
    const forged = Buffer.from(await cursorOf('limit=1'), 'base64url').toString();
    const variants = [
      forged.replace(/"id":"[^"]*"/, `"id":"' or 1=1"`),
      forged.replace(/"id":"[^"]*"/, '"id":7'),
      forged.replace('"v":1', '"v":2'),
      'null',
      '[]',
      '{}',
    ].map((text) => Buffer.from(text).toString('base64url'));
    for (const cursor of [...variants, '', 'x', '%00', 'é', 'a'.repeat(2_000)]) {
      const { status, json } = await list(`limit=1&cursor=${encodeURIComponent(cursor)}`);
      expect([cursor, status, json['code']]).toEqual([cursor, 400, 'invalid_cursor']);
    }
  });

  test('a list without pages gives everything, and pages to those who ask', async () => {
    const whole = await api.send('/api/labels');
    expect(whole.json['data']).toHaveLength(120);
    expect(whole.json['meta']).toEqual({ total: 120 });
    const first = await api.send('/api/labels?limit=100');
    expect(first.json['data']).toHaveLength(100);
    const { cursor } = first.json['meta'] as unknown as { cursor: string };
    const rest = await api.send(`/api/labels?limit=100&cursor=${cursor}`);
    expect(rest.json['data']).toHaveLength(20);
    expect(rest.json['data']?.['0']).toEqual({ label: 'l100' });
    expect(rest.json['meta']).toEqual({ total: 120, cursor: null });
    const widgets = await api.send('/api/widgets?limit=2');
    expect(widgets.json).toMatchObject({
      data: [{ id: 'w1' }, { id: 'w2' }],
      meta: { page: { limit: 2, cursor: expect.any(String) as string } },
    });
  });
});
