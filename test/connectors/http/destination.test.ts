import { createHash } from 'node:crypto';
import type { Connector, Marker } from '../../../connectors/connector.js';
import type { DestinationHttpConfig } from '../../../core/nodes/destinationHttp.js';
import { json, startApi } from '../../support/apiServer.js';
import type { ApiServer, Arrived } from '../../support/apiServer.js';
import { context, openHttp } from './opened.js';

let api: ApiServer;
let connector: Connector;

beforeAll(async () => {
  api = await startApi();
  connector = await openHttp({ baseUrl: `${api.origin}/v1` }, 'destination');
});

afterAll(async () => {
  await connector.close();
  await api.close();
});

const marker: Marker = { rootJobId: 'job', stage: 'send', generation: 0, split: 3 };

const linesOf = (...records: string[]): Buffer => Buffer.from(`${records.join('\n')}\n`);

/** In chunks that end anywhere. */
async function* inPieces(lines: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < lines.length; at += size) yield lines.subarray(at, at + size);
}

const write = async (
  lines: Buffer,
  config: Partial<DestinationHttpConfig> = {},
  mark = marker,
  signal?: AbortSignal,
) => {
  const { documents } = connector;
  if (!documents?.destination) throw new Error('no destination');
  const whole = { connectionId: '', path: '/contacts', ...config };
  const ctx = context(signal);
  await documents.destination.prepare(whole, [], mark, ctx);
  return documents.destination.write(whole, mark, inPieces(lines, 7), () => undefined, ctx);
};

const bodies = (): string[] => api.arrived.map(({ body }) => body);
const keys = (): string[] => api.arrived.map(({ headers }) => String(headers['idempotency-key']));

const numbered = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `{"id":${index}}`);

const idsIn = ({ body }: Arrived): number[] =>
  (JSON.parse(body) as { id: number }[]).map(({ id }) => id);

it('sends records in batches, in their order and as they are', async () => {
  api.answer((_, answer) => json(answer, {}));
  const records = [
    '{"n":12345678901234567890.10,"s":"é\\n"}',
    '{"n":1.0}',
    '{"n":9007199254740993}',
  ];
  const result = await write(linesOf(...records), { batchSize: 2 });
  expect(bodies()).toEqual([`[${records[0] ?? ''},${records[1] ?? ''}]`, `[${records[2] ?? ''}]`]);
  const bytes = bodies().reduce((sum, body) => sum + Buffer.byteLength(body), 0);
  expect(result).toEqual({
    counts: { rows: 3, bytes },
    coalesced: 0,
    already: false,
    rejected: [],
  });
  const [first] = api.arrived;
  expect(first?.method).toBe('POST');
  expect(first?.url.pathname).toBe('/v1/contacts');
  expect(first?.headers['content-type']).toBe('application/json');
});

it.each([
  [{ method: 'PUT' as const }, 'PUT', '[{"id":0},{"id":1}]'],
  [
    { body: { rows: '{{records}}', 'from "us"': true } },
    'POST',
    '{"rows":[{"id":0},{"id":1}],"from \\"us\\"":true}',
  ],
  [
    { body: ['{{records}}', 'x {{records}}', '\\"{{records}}\\"'] },
    'POST',
    String.raw`[[{"id":0},{"id":1}],"x {{records}}","\\\"{{records}}\\\""]`,
  ],
])('%j', async (config, method, body) => {
  api.answer((_, answer) => answer.writeHead(204).end());
  await write(linesOf(...numbered(2)), config);
  expect(api.arrived.map((one) => one.method)).toEqual([method]);
  expect(bodies()).toEqual([body]);
});

it('sends single records where the body has place for one', async () => {
  api.answer((_, answer) => answer.writeHead(201).end());
  await write(linesOf(...numbered(2)), { body: '{{record}}' });
  expect(bodies()).toEqual(['{"id":0}', '{"id":1}']);
});

it('sends nothing where there is nothing', async () => {
  api.answer((_, answer) => json(answer, {}));
  expect((await write(Buffer.alloc(0))).counts).toEqual({ rows: 0, bytes: 0 });
  expect(api.arrived).toHaveLength(0);
});

it('keeps requests small whatever the size of a batch', async () => {
  api.answer((_, answer) => json(answer, {}));
  const large = `{"s":"${'x'.repeat(1024 * 1024)}"}`;
  const { counts } = await write(linesOf(large, large, large, large, large), { batchSize: 100 });
  expect(counts.rows).toBe(5);
  expect(api.arrived.map(idsOrCount)).toEqual([3, 2]);
});

const idsOrCount = ({ body }: Arrived): number => (JSON.parse(body) as unknown[]).length;

describe('the key of a request', () => {
  const keysOf = async (lines: Buffer, mark: Marker): Promise<string[]> => {
    api.answer((_, answer) => json(answer, {}));
    await write(lines, { batchSize: 2 }, mark);
    return keys();
  };

  it('is the same when the same split is sent again, and no other one’s', async () => {
    const lines = linesOf(...numbered(5));
    const first = await keysOf(lines, marker);
    expect(await keysOf(lines, marker)).toEqual(first);
    const others = [
      await keysOf(lines, { ...marker, split: 4 }),
      await keysOf(lines, { ...marker, generation: 1 }),
      await keysOf(lines, { ...marker, stage: 'other' }),
      await keysOf(lines, { ...marker, rootJobId: 'another' }),
    ];
    const all = [first, ...others].flat();
    expect(new Set(all).size).toBe(15);
    for (const key of all) expect(key).toMatch(/^[0-9a-f]{64}$/);
  });

  it('is another one for other records, even where as many are at the same place', async () => {
    const [a1, a2] = await keysOf(linesOf('{"id":1}', '{"id":2}', '{"id":3}'), marker);
    const [b1, b2] = await keysOf(linesOf('{"id":1}', '{"id":9}', '{"id":3}'), marker);
    expect(b1).not.toBe(a1);
    expect(b2).toBe(a2);
  });

  it('stays when a request is repeated', async () => {
    api.answer((_, answer) => {
      if (api.arrived.length > 2) json(answer, {});
      else answer.writeHead(503, { 'retry-after': '0' }).end();
    });
    await write(linesOf('{"id":1}'));
    expect(api.arrived).toHaveLength(3);
    expect(new Set(keys()).size).toBe(1);
    expect(new Set(bodies().map((body) => createHash('md5').update(body).digest('hex'))).size).toBe(
      1,
    );
  });

  it('is known to a receiver that has answered too late', async () => {
    api.answer((_, answer) => {
      if (api.arrived.length === 1) answer.destroy();
      else if (api.arrived.length === 2) answer.writeHead(409, { 'retry-after': '0' }).end();
      else json(answer, {});
    });
    const result = await write(linesOf('{"id":1}', '{"id":2}'));
    expect(result).toMatchObject({ counts: { rows: 2 }, rejected: [] });
    expect(api.arrived).toHaveLength(3);
  });
});

describe('records that are refused', () => {
  const refuse = (bad: readonly number[], status = 422): void =>
    api.answer((request, answer) => {
      const refused = idsIn(request).some((id) => bad.includes(id));
      json(answer, { message: 'no' }, refused ? status : 200);
    });

  it.each([400, 409, 413, 422])(
    'are found in their batch, the others are sent: %i',
    async (status) => {
      refuse([5, 11], status);
      const taken: number[] = [];
      const { counts, rejected } = await write(linesOf(...numbered(20)), {
        batchSize: 8,
        maxErrors: 2,
      });
      for (const request of api.arrived) {
        const ids = idsIn(request);
        if (!ids.some((id) => [5, 11].includes(id))) taken.push(...ids);
      }
      const expected = Array.from({ length: 20 }, (_, id) => id).filter(
        (id) => id !== 5 && id !== 11,
      );
      expect(taken).toEqual(expected);
      expect(counts.rows).toBe(18);
      expect(rejected).toEqual(
        [5, 11].map((row) => ({
          row,
          code: 'constraint_violation',
          message: `The receiver refused the record with status ${status}.`,
        })),
      );
    },
  );

  it('end it where more of them are than may be', async () => {
    refuse(Array.from({ length: 1_000 }, (_, id) => id));
    const { rejected } = await write(linesOf(...numbered(1_000)), { batchSize: 8 });
    expect(rejected.map(({ row }) => row)).toEqual([0]);
    expect(api.arrived).toHaveLength(4);
  });
});

it.each([401, 403, 404, 405, 415])('takes %i for no word about the records', async (status) => {
  api.answer((_, answer) => answer.writeHead(status).end());
  await expect(write(linesOf(...numbered(8)), { maxErrors: 100 })).rejects.toMatchObject({
    failure: { class: expect.stringMatching(/^(config|auth)$/) as string },
  });
  expect(api.arrived).toHaveLength(1);
});

it('does not send to where its path should not lead', async () => {
  await expect(write(linesOf('{}'), { path: '/../../v2' })).rejects.toMatchObject({
    failure: { code: 'config_invalid' },
  });
});

it('stops between batches when it is cancelled', async () => {
  const stop = new AbortController();
  const reason = new Error('stop');
  api.answer((_, answer) => {
    json(answer, {});
    if (api.arrived.length === 2) stop.abort(reason);
  });
  const writing = write(linesOf(...numbered(10)), { batchSize: 1 }, marker, stop.signal);
  await expect(writing).rejects.toBe(reason);
  expect(api.arrived).toHaveLength(2);
});
