import { stagingConnection } from '../../../engine/staging/address.js';

const keys = { accessKeyId: 'id', secretAccessKey: 'secret' };

it.each([
  ['/srv/staging', { directory: '/srv/staging' }],
  ['file:///srv/a%20b', { directory: '/srv/a b' }],
])('%s is a directory', (url, config) => {
  expect(stagingConnection(url, {})).toEqual({ id: 'local', config });
});

it('reads a bucket, and where it is, from an URL', () => {
  const url = 's3://Bucket.x/a%20b/c?endpoint=http://minio:9000&region=eu-1&pathStyle=false';
  expect(stagingConnection(url, { ...keys, sessionToken: 'token' })).toEqual({
    id: 's3',
    config: {
      ...keys,
      sessionToken: 'token',
      bucket: 'Bucket.x',
      prefix: '/a b/c',
      region: 'eu-1',
      endpoint: 'http://minio:9000',
      pathStyle: false,
    },
  });
  expect(stagingConnection('s3://b?region=eu-1', keys).config).toMatchObject({ prefix: '' });
  expect(stagingConnection('s3://b?endpoint=https://x', keys).config).toMatchObject({
    region: 'us-east-1',
  });
});

it.each([
  's3://',
  's3://b',
  's3://id:secret@b?region=x',
  's3://b?region=x&secretAccessKey=y',
  's3://b?region=x&pathStyle=1',
  's3://b?endpoint=minio:9000',
  'gs://b',
  'https://b',
])('refuses %s', (url) => {
  expect(() => stagingConnection(url, keys)).toThrow('FLX_STAGING_URL');
});

it('asks for keys, and does not show any', () => {
  const url = 's3://b?region=x';
  expect(() => stagingConnection(url, { accessKeyId: 'id' })).toThrow(
    /^(?!.*\bid\b).*FLX_STAGING_SECRET_ACCESS_KEY/,
  );
});
