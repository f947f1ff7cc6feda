import { startFramework } from './support/server.js';
import type { Framework } from './support/server.js';
import { thingTables } from './support/things.js';

let api: Framework;
beforeAll(async () => {
  api = await startFramework({ tables: thingTables });
});
afterAll(() => api.close());

test('/healthz needs nothing', async () => {
  expect((await api.bare('/healthz')).json).toEqual({ status: 'ok' });
});

test('/readyz names what is missing', async () => {
  expect((await api.bare('/readyz')).status).toBe(200);
  Object.assign(api.fake.readiness, { ready: false, missing: ['worker on queue control'] });
  const answer = await api.bare('/readyz');
  expect(answer.status).toBe(503);
  expect(answer.headers['retry-after']).toBe('2');
  expect(answer.json).toEqual({ ready: false, missing: ['worker on queue control'] });
});

test('/metrics counts by route and status, and never by path', async () => {
  const id = '0192f3a1-0000-7000-8000-00000000abcd';
  await api.send(`/api/things/${id}`);
  await api.bare('/api/some/stranger');
  const { text, headers } = await api.bare('/metrics');
  expect(headers['content-type']).toContain('text/plain');
  expect(text).toMatch(/http_request_duration_seconds_count\{route="things\.get",status="404"\} 1/);
  expect(text).toMatch(/http_request_duration_seconds_count\{route="unmatched",status="404"\} 1/);
  expect(text).toMatch(/http_requests_in_flight 1/);
  expect(text).toMatch(/nodejs_eventloop_lag/);
  expect(text).not.toContain(id);
  expect(text).not.toContain('stranger');
});

describe('/docs', () => {
  test('is served from here alone', async () => {
    const page = await api.bare('/docs');
    expect(page.status).toBe(200);
    expect(page.headers['content-type']).toContain('text/html');
    const sources = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1]);
    expect(sources.length).toBeGreaterThan(2);
    for (const source of sources) {
      expect(source).toMatch(/^\/docs\//);
      const asset = await api.bare(source as string);
      expect([source, asset.status]).toEqual([source, 200]);
      expect(asset.headers['x-content-type-options']).toBe('nosniff');
    }
  });

  test('runs no script that stands in the page', async () => {
    const { headers, text } = await api.bare('/docs');
    const policy = String(headers['content-security-policy']);
    expect(policy).toContain("script-src 'self'");
    expect(policy).not.toMatch(/script-src[^;]*unsafe/);
    expect(policy).not.toContain('http');
    expect(text).not.toMatch(/<script(?![^>]*src=)/);
    expect((await api.bare('/docs/start.js')).text).toContain("url: '/openapi.json'");
  });

  test('gives no other file away', async () => {
    for (const path of ['/docs/../package.json', '/docs/package.json', '/docs/%2e%2e/index.js']) {
      expect((await api.bare(path)).status).toBe(404);
    }
  });
});

test('a server that closes lets running requests end', async () => {
  const closing = await startFramework({ tables: thingTables });
  let open = (): void => undefined;
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  let reached = (): void => undefined;
  const arrived = new Promise<void>((resolve) => {
    reached = resolve;
  });
  closing.fake.ports.live = async () => {
    reached();
    await gate;
    return { issues: [] };
  };
  const running = closing.send('/api/probe', {
    method: 'POST',
    headers: { connection: 'keep-alive' },
  });
  await arrived;
  const closed = closing.close();
  await expect(closing.bare('/healthz')).rejects.toThrow(/ECONNREFUSED/);
  open();
  expect((await running).status).toBe(200);
  await closed;
});
