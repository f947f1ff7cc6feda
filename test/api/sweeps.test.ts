import fc from 'fast-check';
import type { RouteTable } from '../../api/route.js';
import { fuzz, fuzzTable } from './support/fuzz/index.js';
import type { FuzzOptions } from './support/fuzz/index.js';
import { startFramework } from './support/server.js';
import type { Framework } from './support/server.js';
import { sweepAuth } from './support/sweepAuth.js';
import { thingTables } from './support/things.js';

let api: Framework;
beforeEach(async () => {
  api = await startFramework({ tables: thingTables });
});
afterEach(() => api.close());

const only = (...names: string[]): RouteTable[] => [
  {
    tag: 'Some',
    routes: thingTables.flatMap(({ routes }) => routes).filter(({ name }) => names.includes(name)),
  },
];

describe('the sweep of tokens', () => {
  const server = () => ({
    url: api.url,
    basePrefix: '',
    expired: api.fake.issue(['*:*'], { expiresAt: new Date(0) }).secret,
    revoked: revoked(),
    issue: async (scopes: readonly string[]) => api.fake.issue(scopes).secret,
  });
  const revoked = (): string => {
    const { secret, hash } = api.fake.issue(['*:*']);
    api.fake.found.delete(hash);
    return secret;
  };

  test('finds every route closed to every token that must not open it', async () => {
    const { requests, problems } = await sweepAuth(thingTables, server());
    expect(problems).toEqual([]);
    const closed = thingTables.flatMap(({ routes }) => routes).filter(({ scope }) => scope);
    expect(requests).toBe(closed.length * 5);
  });

  test('would find one that is open', async () => {
    const { problems } = await sweepAuth(only('things.list'), { ...server(), expired: api.token });
    expect(problems[0]).toBe('GET /api/things, expired: status is 200, not 401');
  });
});

describe('the fuzz', () => {
  const options = (more: Partial<FuzzOptions> = {}): FuzzOptions => ({
    url: api.url,
    basePrefix: '',
    token: api.token,
    requests: 1_500,
    seed: 7,
    references: {},
    known: {},
    spared: [],
    bodies: {},
    queries: {},
    hopeless: { 'tables.get': 'throws' },
    rare: {},
    skipped: {
      'things.crash': 'a defect by design',
      'things.wrong': 'a defect by design',
      'things.brokenExport': 'breaks in the middle',
      'things.delete': 'throws what it is asked to',
    },
    ...more,
  });

  test('reaches every handler, and finds nothing undeclared', async () => {
    const report = await fuzz(thingTables, options());
    expect({ problems: report.problems, table: fuzzTable(report) }).toEqual({
      problems: [],
      table: expect.stringMatching(/things\.create +200×\d+ {2}400×\d+/) as string,
    });
    expect(report.requests).toBeGreaterThanOrEqual(1_500);
  });

  test('finds an internal error, a route that never succeeds, and one thought hopeless', async () => {
    const { problems } = await fuzz(
      only('things.crash', 'labels.list'),
      options({ requests: 20, skipped: {}, hopeless: { 'labels.list': 'wrongly so' } }),
    );
    expect(problems.some((one) => one.includes('500 internal is not declared'))).toBe(true);
    expect(problems).toContain('things.crash never succeeded');
    expect(problems).toContain('labels.list does succeed; it is not hopeless');
  });

  test('is not content with refusals', async () => {
    const token = api.fake.issue(['folders:read']).secret;
    const refused = await fuzz(only('things.list'), options({ requests: 20, token }));
    expect(refused.problems).toContain('only 0 % got past token and limiter');
    const bodies = { 'things.create': fc.constant({ wrong: true }) };
    const invalid = await fuzz(only('things.create'), options({ requests: 20, bodies }));
    expect(invalid.problems).toContain('only 0 % of the bodies were valid');
  });
});
