import fc from 'fast-check';
import { tables } from '../../api/routes/index.js';
import { fuzz, fuzzTable } from './support/fuzz/index.js';
import { idMark } from './support/fuzz/values.js';
import { startRealTables } from './support/realTables.js';
import { sweepAuth } from './support/sweepAuth.js';

type RealTables = Awaited<ReturnType<typeof startRealTables>>;

let api: RealTables;
beforeAll(async () => {
  api = await startRealTables();
});
afterAll(() => api.close());

test('no route opens to a token that must not open it', async () => {
  const gone = await api.issue(['*:*']);
  await api.repos.apiKeys.revoke(api.principal, api.principal.userId, gone.id);
  const { problems } = await sweepAuth(tables, {
    url: api.url,
    basePrefix: '',
    expired: (await api.issue(['*:*'], -1)).secret,
    revoked: gone.secret,
    issue: async (scopes) => (await api.issue(scopes)).secret,
  });
  expect(problems).toEqual([]);
});

describe('the fuzz', () => {
  const text = fc.string({ minLength: 1, maxLength: 30 }).map((drawn) => `n ${drawn}`);
  const someId = (pool: string) => fc.nat(1_000).map((at) => idMark(pool, at));

  const runnable = fc.record({
    nodes: someId('/api/connections').map((connectionId) => [
      {
        id: 'from',
        type: 'source.generate',
        config: { rows: 10, columns: [{ name: 'n', generator: 'sequence' }] },
      },
      { id: 'to', type: 'destination.table', config: { connectionId, table: 't', mode: 'append' } },
    ]),
    edges: fc.constant([{ id: 'e', source: 'from', target: 'to' }]),
  });
  const anyGraph = fc.record({
    nodes: fc.array(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 })), { maxLength: 3 }),
    edges: fc.array(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 })), { maxLength: 3 }),
  });
  const graph = fc.oneof({ weight: 3, arbitrary: runnable }, { weight: 1, arbitrary: anyGraph });
  const withGraph = (fields: fc.Arbitrary<object>) =>
    fc.tuple(graph, fields).map(([drawn, more]) => ({ ...drawn, ...more }));

  const config = fc.constant({ host: 'h', database: 'd', user: 'u', password: 'p' });
  const fields = fc.constantFrom({ password: 'p' }, { password: null }, { password: '********' });

  /** What a worker would have to answer. */
  const live = Object.fromEntries(
    tables
      .flatMap(({ routes }) => routes)
      .filter(({ mode }) => mode === 'live')
      .map(({ name }) => [name, 'there are no workers here']),
  );

  test('5,000 requests find no failure of ours and nothing undeclared', async () => {
    const key = await api.issue(['*:*']);
    const report = await fuzz(tables, {
      url: api.url,
      basePrefix: '',
      token: key.secret,
      requests: 5_000,
      seed: 20261121,
      references: {
        projectId: '/api/projects',
        pipelineId: '/api/pipelines',
        connectionId: '/api/connections',
        credentialId: '/api/credentials',
      },
      known: {},
      spared: [key.id],
      bodies: {
        'connections.create': fc.record({ name: text, type: fc.constant('postgres'), config }),
        'connections.update': fc.record(
          { name: text, config, credentialId: fc.oneof(fc.constant(null), someId('credentialId')) },
          { requiredKeys: [] },
        ),
        'connections.test': fc.record({ type: fc.constant('postgres'), config }),
        'credentials.create': fc.record({ name: text, type: fc.constant('postgres'), fields }),
        'credentials.update': fc.record({ name: text, fields }, { requiredKeys: [] }),
        'pipelines.create': withGraph(
          fc.record({ name: text, projectId: someId('/api/projects') }),
        ),
        'pipelines.update': withGraph(fc.constant({})),
        'pipelines.run': fc.record(
          { priority: fc.constantFrom('low', 'high') },
          { requiredKeys: [] },
        ),
        'apiKeys.create': fc.record({
          name: text,
          scopes: fc.subarray(['*:read', 'projects:write', 'runs:run'], { minLength: 1 }),
        }),
      },
      queries: {
        'runs.list': fc.record(
          { dateRange: fc.constantFrom('2026-01-01..', '..2030-01-01', '2026-01-01..2026-02-01') },
          { requiredKeys: [] },
        ),
        'runs.logs': fc.record(
          { since: fc.constantFrom('2026-01-01', 'line:0', 'line:7') },
          { requiredKeys: [] },
        ),
      },
      hopeless: live,
      rare: { 'runs.undo': 'takes a run that was cancelled, and that nobody has retried' },
      skipped: {},
    });
    // Printed, so that everybody can see what was asked and answered.
    process.stderr.write(`\n${fuzzTable(report)}\n`);
    const internal = api.logged.filter(({ level }) => level === 50);
    expect({ problems: report.problems, internal }).toEqual({ problems: [], internal: [] });
  });
});
