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

describe('a staging store in S3', () => {
  const url = 's3://bucket/some%20where?region=eu-central-1';
  const staged = (more: Record<string, string>) =>
    loadConfig({ ...least, FLX_STAGING_URL: url, ...more }).engine.stagingCredentials;

  it('takes its own credentials, or those of AWS, and never some of each', () => {
    const aws = { AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b', AWS_SESSION_TOKEN: 'c' };
    const own = { FLX_STAGING_ACCESS_KEY_ID: 'd', FLX_STAGING_SECRET_ACCESS_KEY: 'e' };
    const none = undefined;
    expect(staged(aws)).toEqual({ accessKeyId: 'a', secretAccessKey: 'b', sessionToken: 'c' });
    expect(staged({ ...aws, ...own })).toEqual({
      accessKeyId: 'd',
      secretAccessKey: 'e',
      sessionToken: none,
    });
  });

  it.each([
    [{ FLX_STAGING_URL: 'relative' }, 's3://'],
    [{ FLX_STAGING_URL: 's3://bucket' }, 'region'],
  ])('is refused as %j', (more, said) => {
    expect(() => staged(more)).toThrow(said);
  });
});
