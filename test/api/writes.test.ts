import { AppError } from '../../core/errors.js';
import { startFramework } from './support/server.js';
import type { Framework } from './support/server.js';
import { thingTables } from './support/things.js';

let api: Framework;
beforeEach(async () => {
  api = await startFramework({ tables: thingTables });
});
afterEach(() => api.close());

const create = (name: string, key?: string, token = api.token) =>
  api.send('/api/things', {
    token,
    json: { name },
    headers: key === undefined ? {} : { 'idempotency-key': key },
  });

describe('a write', () => {
  test('is one transaction with its audit row, and starts its jobs afterwards', async () => {
    const { json } = await create('one');
    expect(api.fake.counts.transactions).toBe(1);
    expect(api.fake.state.audit).toMatchObject([
      { action: 'things.create', status: 200, subjectId: json['id'], address: '127.0.0.1' },
    ]);
    expect(api.fake.kicked).toEqual([['job-of-one']]);
  });

  test('a refusal leaves nothing but an audit row of its own', async () => {
    await create('one');
    const refused = await create('one');
    expect(refused.status).toBe(409);
    expect(api.fake.state.things).toHaveLength(1);
    expect(api.fake.kicked).toHaveLength(1);
    expect(api.fake.state.audit[1]).toMatchObject({
      action: 'things.create',
      status: 409,
      code: 'duplicate',
      requestId: refused.headers['x-request-id'],
    });
  });

  test('refused by scope, by its body or by its path, it is audited too', async () => {
    const { secret } = api.fake.issue(['*:read']);
    await create('x', undefined, secret);
    await api.send('/api/things', { json: {} });
    const id = '0192f3a1-0000-7000-8000-000000000001';
    await api.send(`/api/things/${id}?code=not_found`, { method: 'DELETE' });
    expect(api.fake.state.audit.map(({ code, subjectId }) => [code, subjectId])).toEqual([
      ['insufficient_scope', undefined],
      ['validation_failed', undefined],
      ['not_found', id],
    ]);
  });

  test('neither strangers nor readers nor our own failures are audited', async () => {
    await api.bare('/api/things', { json: { name: 'x' } });
    await api.send('/api/things?nope=1');
    await api.send('/api/things/crash', { method: 'POST' });
    expect(api.fake.state.audit).toEqual([]);
  });

  test('an audit that fails does not hide the refusal', async () => {
    api.fake.ports.repos.audit.write = () => Promise.reject(new Error('disk full'));
    expect((await api.send('/api/things', { json: {} })).status).toBe(400);
    expect(api.fake.logged.some(({ msg }) => msg === 'could not audit a refusal')).toBe(true);
  });
});

describe('an Idempotency-Key', () => {
  test('repeats the answer, and does the work once', async () => {
    const first = await create('one', 'key-1');
    const again = await create('one', 'key-1');
    expect(again.json).toEqual(first.json);
    expect(again.status).toBe(first.status);
    expect(first.headers['idempotency-replayed']).toBeUndefined();
    expect(again.headers['idempotency-replayed']).toBe('true');
    expect(again.headers['content-type']).toBe(first.headers['content-type']);
    expect(api.fake.state.things).toHaveLength(1);
    expect(api.fake.kicked).toHaveLength(1);
  });

  test('repeats status and headers as well, and prepares only once', async () => {
    const live = jest.fn(api.fake.ports.live);
    api.fake.ports.live = live;
    const options = { json: { name: 'p' }, headers: { 'idempotency-key': 'k' } };
    const first = await api.send('/api/things/slow', options);
    live.mockRejectedValue(new AppError('connection_failed', 'Gone by now.'));
    const again = await api.send('/api/things/slow', options);
    expect([first.status, first.headers['location']]).toEqual([201, '/x']);
    expect([again.status, again.headers['location']]).toEqual([201, '/x']);
    expect(again.text).toBe(first.text);
    expect(live).toHaveBeenCalledTimes(1);
  });

  test('with another body is 422', async () => {
    await create('one', 'key-1');
    const other = await create('two', 'key-1');
    expect(other.status).toBe(422);
    expect(other.json['code']).toBe('idempotency_mismatch');
    expect(api.fake.state.things).toHaveLength(1);
  });

  test('is one of its caller and its route', async () => {
    await create('one', 'key-1');
    expect((await create('two', 'key-1', api.fake.issue(['*:*']).secret)).status).toBe(200);
    const headers = { 'idempotency-key': 'key-1' };
    expect((await api.send('/api/things/slow', { json: { name: 'one' }, headers })).status).toBe(
      201,
    );
  });

  test('of a refused request stays free', async () => {
    await create('one');
    expect((await create('one', 'key-1')).status).toBe(409);
    expect((await create('two', 'key-1')).status).toBe(200);
  });

  test('fifty at once make one thing and fifty equal answers', async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => create('one', 'key-1')));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(api.fake.state.things).toHaveLength(1);
  });

  test('still in progress when the wait is over is 409', async () => {
    let open = (): void => undefined;
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const inTransaction = api.fake.ports.inTransaction;
    api.fake.ports.inTransaction = (work) =>
      inTransaction(async (repos) => {
        const value = await work(repos);
        await gate;
        return value;
      });
    api.fake.waitForClaims(20);
    const first = create('one', 'key-1');
    while (api.fake.counts.transactions === 0) await new Promise((done) => setImmediate(done));
    const second = await create('one', 'key-1');
    expect(second.status).toBe(409);
    expect(second.json['code']).toBe('idempotency_in_progress');
    open();
    expect((await first).status).toBe(200);
  });

  test('is kept sealed, bound to its place', async () => {
    await create('one', 'key-1');
    const [kept] = [...api.fake.state.answers.values()];
    expect(kept?.sealed).not.toContain('one');
    expect(kept?.status).toBe(200);
  });

  test.each(['x'.repeat(256), 'a b', 'é', ''])('%p is 400', async (key) => {
    const answer = await create('one', key);
    expect(answer.status).toBe(400);
    expect(answer.json['errors']).toMatchObject([{ pointer: '/idempotency-key', code: 'format' }]);
  });

  test('of 255 signs is fine, and ignored where nothing is created', async () => {
    expect((await create('one', 'x'.repeat(255))).status).toBe(200);
    const headers = { 'idempotency-key': 'not a key' };
    expect((await api.send('/api/probe', { method: 'POST', headers })).status).toBe(200);
  });
});
