import { ConfigError, loadConfig } from '../../bin/config.js';

const least = { DATABASE_URL: 'postgres://localhost/x', FLX_MASTER_KEY: 'k' };

const problemsOf = (env: Record<string, string>): string[] => {
  try {
    loadConfig(env);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.message.split('\n');
  }
};

test('what is required has no default: without a master key nothing starts', () => {
  expect(problemsOf({})).toEqual([
    expect.stringMatching(/^DATABASE_URL is not set/),
    expect.stringMatching(/^FLX_MASTER_KEY is not set/),
  ]);
});

test('everything else has one', () => {
  expect(loadConfig(least)).toMatchObject({
    temporal: { address: '127.0.0.1:7233', namespace: 'default' },
    queuePrefix: '',
    http: { host: '127.0.0.1', port: 8080, basePrefix: '' },
    limits: { runs: 10, pipelines: 1000, connections: 200 },
    bootstrap: { organization: 'Default', email: 'owner@localhost', password: undefined },
    egressAllowCidrs: '',
  });
});

test('everything that is wrong is named at once, with what was expected', () => {
  const problems = problemsOf({
    ...least,
    FLX_HTTP_PORT: '99999',
    FLX_MAX_PIPELINES: 'many',
    FLX_BASE_PREFIX: 'v1/',
    FLX_QUEUE_PREFIX: 'a b',
    FLX_LOG_LEVEL: 'loud',
  });
  expect(problems.map((problem) => problem.split(' ')[0]).sort()).toEqual([
    'FLX_BASE_PREFIX',
    'FLX_HTTP_PORT',
    'FLX_LOG_LEVEL',
    'FLX_MAX_PIPELINES',
    'FLX_QUEUE_PREFIX',
  ]);
  expect(problems.find((problem) => problem.startsWith('FLX_HTTP_PORT'))).toContain('0 to 65535');
});

test('an empty variable is one that is not set', () => {
  expect(loadConfig({ ...least, FLX_HTTP_PORT: '', FLX_BOOTSTRAP_PASSWORD: ' ' })).toMatchObject({
    http: { port: 8080 },
    bootstrap: { password: undefined },
  });
});
