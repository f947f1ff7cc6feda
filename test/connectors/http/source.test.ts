import { gzipSync } from 'node:zlib';
import type { Connector } from '../../../connectors/connector.js';
import { RunFailure } from '../../../core/failures.js';
import type { SourceHttpConfig } from '../../../core/nodes/sourceHttp.js';
import { json, startApi } from '../../support/apiServer.js';
import type { ApiServer } from '../../support/apiServer.js';
import { context, openHttp } from './opened.js';

let api: ApiServer;
let connector: Connector;

beforeAll(async () => {
  api = await startApi();
  connector = await openHttp({ baseUrl: `${api.origin}/v1` });
});

afterAll(async () => {
  await connector.close();
  await api.close();
});

type Config = Partial<SourceHttpConfig>;

const requestOf = (config: Config) => ({
  config: { connectionId: '', path: '/orders', ...config },
});

const source = () => {
  const { documents } = connector;
  if (!documents?.source) throw new Error('no source');
  return documents.source;
};

const linesOf = async (config: Config): Promise<string[]> => {
  const request = requestOf(config);
  const { ranges } = await source().splits(request, { targetBytes: 1e9 }, context());
  const chunks: Buffer[] = [];
  for (const range of ranges) {
    for await (const chunk of source().read(request, range, context())) chunks.push(chunk);
  }
  const text = Buffer.concat(chunks).toString();
  expect(text === '' || text.endsWith('\n')).toBe(true);
  return text.split('\n').slice(0, -1);
};

const failureOf = async (config: Config): Promise<RunFailure['failure']> => {
  try {
    await linesOf(config);
  } catch (error) {
    if (error instanceof RunFailure) return error.failure;
    throw error;
  }
  throw new Error('was read');
};

const asked = (): string[] => api.arrived.map(({ url }) => `${url.pathname}${url.search}`);

describe('records', () => {
  it.each([
    ['the elements of an array', '[{"id":1},{"id":2}]', '', ['{"id":1}', '{"id":2}']],
    ['one object', '{"id":1}', '', ['{"id":1}']],
    ['lines', '{"id":1}\n{"id":2}\n', '', ['{"id":1}', '{"id":2}']],
    ['what a dotted path leads to', '{"data":{"items":[{"id":1}]}}', 'data.items', ['{"id":1}']],
    ['what a pointer leads to', '{"a.b":[[{"id":1}]]}', '/a.b/0', ['{"id":1}']],
    ['an object at a path', '{"data":{"id":1}}', 'data', ['{"id":1}']],
    ['nothing where null is', '{"data":null}', 'data', []],
    ['nothing in an empty answer', '', '', []],
    ['records behind a byte order mark', '\ufeff[{"id":1}]', '', ['{"id":1}']],
  ])('are %s', async (_, page, recordPath, lines) => {
    api.answer((__, answer) => json(answer, page));
    expect(await linesOf({ recordPath })).toEqual(lines);
  });

  it('are as they were written, to the last digit, each in one line', async () => {
    const record =
      '{ "n": 12345678901234567890.10,\r\n "e": 1E400,"s":"\\u00e9\\n\\"]}",\n\t"deep": {"x": [ 1.0, {} ]} }';
    api.answer((_, answer) => json(answer, `{"next": 1, "rows": [${record} , ${record}\n]}`));
    const line = record.replace(/[\r\n]/g, ' ');
    expect(await linesOf({ recordPath: 'rows' })).toEqual([line, line]);
  });

  it('come packed with gzip, too', async () => {
    api.answer((_, answer) => {
      answer.writeHead(200, { 'content-encoding': 'gzip', 'content-type': 'application/json' });
      answer.end(gzipSync('[{"id":1}]'));
    });
    expect(await linesOf({})).toEqual(['{"id":1}']);
  });

  it('are asked for below the base, with the query of the node', async () => {
    api.answer((_, answer) => json(answer, []));
    await linesOf({ path: 'a/b?x=1&y=2', query: { y: 'ü&=', z: true } });
    expect(asked()).toEqual(['/v1/a/b?x=1&y=%C3%BC%26%3D&z=true']);
  });
});

describe('what is no JSON', () => {
  it.each([
    ['a page of HTML', 'text/html; charset=utf-8', '<html>'],
    ['text', 'text/plain', 'Hello'],
    ['XML', 'application/atom+xml', '<feed/>'],
    ['an array that is cut off', 'application/json', '[{"id":1},{"id":'],
    ['an array without commas', 'application/json', '[{"id":1} {"id":2}]'],
    ['brackets that cross', 'application/json', '[{"id":[1}]]'],
    ['a line end within a text', 'application/json', '[{"a":"x\ny"}]'],
  ])('%s is said to be what it is', async (_, type, page) => {
    api.answer((__, answer) => answer.writeHead(200, { 'content-type': type }).end(page));
    const failure = await failureOf({});
    expect(failure).toMatchObject({ code: 'config_invalid', class: 'config' });
    expect(failure.message).toMatch(/^GET http:\S+\/v1\/orders: the answer is not JSON/);
    expect(failure.message).toContain(`[200, ${type.split(';')[0] ?? ''}]`);
    expect(failure.message).not.toContain(page);
  });

  it('is told from a path that leads to nothing', async () => {
    api.answer((_, answer) => json(answer, { items: [] }));
    expect((await failureOf({ recordPath: 'data.items' })).message).toContain(
      'nothing at data.items',
    );
  });
});

const pageOf = (from: number, count: number): { id: number }[] =>
  Array.from({ length: count }, (_, index) => ({ id: from + index }));

const idsOf = (lines: readonly string[]): number[] =>
  lines.map((line) => (JSON.parse(line) as { id: number }).id);

const tenTo = (end: number): number[] => Array.from({ length: end }, (_, index) => index);

describe('pages', () => {
  it('by number go on until one is empty, however few records there are on one', async () => {
    const sizes = [3, 1, 2];
    api.answer(({ url }, answer) => {
      const page = Number(url.searchParams.get('p'));
      const from = sizes.slice(0, page).reduce((sum, size) => sum + size, 0);
      json(answer, pageOf(from, sizes[page] ?? 0));
    });
    const pagination = {
      type: 'page' as const,
      param: 'p',
      firstPage: 0,
      sizeParam: 'n',
      pageSize: 3,
    };
    expect(idsOf(await linesOf({ pagination }))).toEqual(tenTo(6));
    expect(asked()).toEqual([0, 1, 2, 3].map((page) => `/v1/orders?p=${page}&n=3`));
  });

  it('by offset count what came, not what was asked for', async () => {
    api.answer(({ url }, answer) => {
      const from = Number(url.searchParams.get('offset'));
      json(answer, pageOf(from, Math.min(4, 10 - from)));
    });
    const pagination = { type: 'offset' as const, pageSize: 100 };
    expect(idsOf(await linesOf({ pagination }))).toEqual(tenTo(10));
    expect(asked()).toEqual([0, 4, 8, 10].map((at) => `/v1/orders?offset=${at}&limit=100`));
  });

  const withTotal = (): void =>
    api.answer(({ url }, answer) => {
      const from = Number(url.searchParams.get('offset'));
      const limit = Number(url.searchParams.get('limit'));
      json(answer, { total: 10, rows: pageOf(from, Math.max(0, Math.min(limit, 10 - from))) });
    });
  const offsets = {
    recordPath: 'rows',
    pagination: { type: 'offset' as const, pageSize: 2, totalPath: 'total' },
  };

  it('by offset end where the total is known to be', async () => {
    withTotal();
    expect(idsOf(await linesOf(offsets))).toEqual(tenTo(10));
    expect(asked().at(-1)).toBe('/v1/orders?offset=8&limit=2');
  });

  it('by offset with a known total are cut into splits that do not overlap', async () => {
    withTotal();
    const request = requestOf(offsets);
    const { ranges } = await source().splits(request, { targetBytes: 30 }, context());
    expect(ranges).toEqual([
      { from: 0, to: 3 },
      { from: 3, to: 6 },
      { from: 6, to: 9 },
      { from: 9, to: 10 },
    ]);
    const ids: number[] = [];
    for (const range of ranges) {
      const chunks: Buffer[] = [];
      for await (const chunk of source().read(request, range, context())) chunks.push(chunk);
      ids.push(...idsOf(Buffer.concat(chunks).toString().trim().split('\n')));
    }
    expect(ids).toEqual(tenTo(10));
  });

  it('by offset are one split where a rate is to be kept', async () => {
    withTotal();
    const slow = await openHttp({ baseUrl: `${api.origin}/v1`, rateLimit: 1_000 });
    const plan = await slow.documents?.source?.splits(
      requestOf(offsets),
      { targetBytes: 30 },
      context(),
    );
    expect(plan?.ranges).toEqual([{ from: 0 }]);
    expect(api.arrived).toHaveLength(0);
    await slow.close();
  });

  it('by cursor follow what an answer says', async () => {
    api.answer(({ url }, answer) => {
      const at = Number(url.searchParams.get('after') ?? 0);
      json(answer, { rows: pageOf(at, 2), meta: { next: at < 4 ? at + 2 : null } });
    });
    const pagination = { type: 'cursor' as const, param: 'after', cursorPath: 'meta.next' };
    expect(idsOf(await linesOf({ recordPath: 'rows', pagination }))).toEqual(tenTo(6));
    expect(asked()).toEqual(['/v1/orders', '/v1/orders?after=2', '/v1/orders?after=4']);
  });

  it('by cursor keep every digit of it', async () => {
    api.answer(({ url }, answer) => {
      const first = url.searchParams.get('cursor') === null;
      json(answer, first ? '{"rows":[{"id":0}],"next":12345678901234567890}' : '{"rows":[]}');
    });
    const pagination = { type: 'cursor' as const, cursorPath: 'next' };
    await linesOf({ recordPath: 'rows', pagination });
    expect(asked()[1]).toBe('/v1/orders?cursor=12345678901234567890');
  });

  it('by cursor may go on from the last record', async () => {
    api.answer(({ url }, answer) => {
      const after = Number(url.searchParams.get('starting_after') ?? -1);
      json(answer, pageOf(after + 1, after < 3 ? 2 : 0));
    });
    const pagination = {
      type: 'cursor' as const,
      param: 'starting_after',
      lastRecordPath: 'id',
    };
    expect(idsOf(await linesOf({ pagination }))).toEqual(tenTo(4));
    expect(asked()).toHaveLength(3);
  });

  it('by Link header follow the one that is next', async () => {
    api.answer(({ url }, answer) => {
      const at = Number(url.searchParams.get('at') ?? 0);
      const links = `</first>; rel="first", <${api.origin}/other?at=${at + 1}>; rel="next last"`;
      answer.setHeader('link', at < 2 ? links : '</first>; rel=first');
      json(answer, pageOf(at, 1));
    });
    expect(idsOf(await linesOf({ pagination: { type: 'link' } }))).toEqual(tenTo(3));
    expect(asked()).toEqual(['/v1/orders', '/other?at=1', '/other?at=2']);
  });

  it('by link may be said in the answer, seen from where it is', async () => {
    api.answer(({ url }, answer) => {
      const last = url.searchParams.has('p');
      json(answer, { rows: pageOf(last ? 1 : 0, 1), next: last ? '' : '?p=2' });
    });
    const pagination = { type: 'link' as const, nextPath: 'next' };
    expect(idsOf(await linesOf({ recordPath: 'rows', pagination }))).toEqual([0, 1]);
    expect(asked()).toEqual(['/v1/orders', '/v1/orders?p=2']);
  });

  it('that go round in a circle fail', async () => {
    let served = 0;
    api.answer((_, answer) => json(answer, { rows: [{ id: served++ }], next: 'same' }));
    const pagination = { type: 'cursor' as const, cursorPath: 'next' };
    const failure = await failureOf({ recordPath: 'rows', pagination });
    expect(failure.message).toContain('was there before');
    expect(api.arrived).toHaveLength(2);
  });

  it('of an API that does not know the parameter fail', async () => {
    api.answer((_, answer) => json(answer, pageOf(0, 2)));
    for (const pagination of [{ type: 'page' }, { type: 'offset', pageSize: 2 }] as const) {
      expect((await failureOf({ pagination })).message).toContain('was there before');
    }
  });

  it('without an end fail at maxPages', async () => {
    let served = 0;
    api.answer((_, answer) => json(answer, [{ id: served++ }]));
    const failure = await failureOf({ pagination: { type: 'page', maxPages: 3 } });
    expect(failure.message).toContain('more than 3 pages');
    expect(api.arrived).toHaveLength(3);
  });

  it.each([
    ['another server', 'http://127.0.0.2:9/next'],
    ['a user', 'http://a:b@127.0.0.1/next'],
    ['another kind of address', 'file:///etc/passwd'],
    ['no address', 'http://['],
  ])('do not lead to %s', async (_, link) => {
    api.answer((__, answer) => {
      answer.setHeader('link', `<${link}>; rel="next"`);
      json(answer, [{ id: 1 }]);
    });
    const failure = await failureOf({ pagination: { type: 'link' } });
    expect(failure.code).toBe('config_invalid');
    expect(failure.message).not.toContain('a:b');
    expect(api.arrived).toHaveLength(1);
  });
});

it('samples no more pages than it takes', async () => {
  let served = 0;
  api.answer((_, answer) => json(answer, pageOf((served += 2), 2)));
  const request = requestOf({ pagination: { type: 'page' } });
  let lines = 0;
  for await (const chunk of source().sample(request, 3, context())) {
    lines += chunk.toString().split('\n').length - 1;
  }
  expect(lines).toBe(4);
  expect(api.arrived).toHaveLength(2);
});

it('stops between pages when nobody wants them any more', async () => {
  const stop = new AbortController();
  let served = 0;
  api.answer((_, answer) => json(answer, pageOf((served += 1), 1)));
  const request = requestOf({ pagination: { type: 'page' } });
  const reason = new Error('stop');
  const reading = async (): Promise<void> => {
    for await (const chunk of source().read(request, { from: 0 }, context(stop.signal))) {
      if (chunk.toString().includes('3')) stop.abort(reason);
    }
  };
  await expect(reading()).rejects.toBe(reason);
  expect(api.arrived).toHaveLength(3);
});
