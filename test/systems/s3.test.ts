import { randomBytes } from 'node:crypto';
import type { S3Config } from '../../connectors/s3/manifest.js';
import { openBucket } from '../../connectors/s3/bucket.js';
import type { Bucket } from '../../connectors/s3/bucket.js';
import { signV4 } from '../../connectors/s3/sign.js';
import { makeS3Store } from '../../connectors/s3/store.js';
import { makeHttpDispatcher } from '../../connectors/httpDispatcher.js';
import type { HttpDispatcher } from '../../connectors/httpDispatcher.js';
import { childrenOf, parseXml, textAt } from '../../connectors/objects/xml.js';
import { conformance } from '../connectors/conformance/conformance.js';
import { startMinio } from '../connectors/s3/minio.js';
import type { Minio } from '../connectors/s3/minio.js';
import { loopback } from '../connectors/stores/anywhere.js';
import { chunksOf, context, keysOf, readAll } from '../connectors/stores/suite.js';
import { startFronts } from '../connectors/stores/tlsFront.js';
import { webSuite } from '../connectors/stores/webSuite.js';

let minio: Minio;

beforeAll(async () => {
  minio = await startMinio();
}, 900_000);
afterAll(async () => {
  for (const one of dispatchers) await one.close();
  await minio.stop();
});

const dispatchers: HttpDispatcher[] = [];

const bucketOf = (config: S3Config): Bucket => {
  const http = makeHttpDispatcher({
    connect: (host, port, signal) => loopback.connect(host, port, signal, 'source'),
  });
  dispatchers.push(http);
  return openBucket(config, 'source', http.dispatcher);
};

/** Uploads that were begun and neither finished nor aborted. */
const uploads = async (config: S3Config): Promise<number> => {
  const bucket = bucketOf(config);
  const request = { method: 'GET', path: bucket.pathOf(), query: { uploads: '' } } as const;
  const { text } = await bucket.send(request, { ...context(), accepts: [200] });
  return text.split('<Upload>').length - 1;
};

const nothingAllowed = {
  Version: '2012-10-17',
  Statement: [{ Effect: 'Allow', Action: ['s3:GetObject'], Resource: ['arn:aws:s3:::other/*'] }],
};

/** Temporary credentials that may do nothing here, as STS gives them. */
const restricted = async (
  config: S3Config,
): Promise<Pick<S3Config, 'accessKeyId' | 'secretAccessKey' | 'sessionToken'>> => {
  const form = new URLSearchParams({
    Action: 'AssumeRole',
    Version: '2011-06-15',
    DurationSeconds: '3600',
    Policy: JSON.stringify(nothingAllowed),
  });
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const body = Buffer.from(form.toString());
  const request = { method: 'POST', path: '/', headers, body } as const;
  const { host } = new URL(minio.url);
  const signed = signV4(request, host, { ...config, service: 'sts' }, new Date());
  const answer = await fetch(minio.url, { method: 'POST', headers: signed.headers, body });
  const credentials = childrenOf(
    childrenOf(parseXml(await answer.text()), 'AssumeRoleResult')[0],
    'Credentials',
  )[0];
  return {
    accessKeyId: textAt(credentials, 'AccessKeyId'),
    secretAccessKey: textAt(credentials, 'SecretAccessKey'),
    sessionToken: textAt(credentials, 'SessionToken'),
  };
};

let shared: S3Config | undefined;
webSuite({
  title: 's3 on MinIO',
  open: async (net) => minio.open((shared ??= await minio.makeBucket()), net),
});

describe('s3 on MinIO, beyond', () => {
  it('keeps to its prefix', async () => {
    const config = await minio.makeBucket();
    const all = await minio.open(config);
    const store = await minio.open({ ...config, prefix: '/in side/deep/' });
    await all.write('in side/deeper', chunksOf('no'), context());
    await store.write('a/b', chunksOf('yes'), context());
    expect(await keysOf(store)).toEqual(['a/b']);
    expect(await keysOf(all)).toEqual(['in side/deep/a/b', 'in side/deeper']);
    await store.rename('a/b', 'c', context());
    expect(await keysOf(all)).toEqual(['in side/deep/c', 'in side/deeper']);
    expect(await store.stat('er', context())).toBeUndefined();
  });

  it('leaves out what stands for a directory', async () => {
    const config = await minio.makeBucket();
    const bucket = bucketOf(config);
    const path = `${bucket.pathOf()}/folder/`;
    await bucket.send({ method: 'PUT', path }, { ...context(), accepts: [200] });
    const store = await minio.open(config);
    await store.write('folder/a', chunksOf('1'), context());
    expect(await keysOf(store)).toEqual(['folder/a']);
  });

  it('copies in parts what is too large for one copy', async () => {
    const megabyte = 1024 * 1024;
    const config = await minio.makeBucket();
    const sizes = { uploadPart: 6 * megabyte, copy: { single: megabyte, part: 5 * megabyte } };
    const store = makeS3Store(bucketOf(config), undefined, sizes);
    const bytes = randomBytes(13 * megabyte + 1);
    const { etag } = await store.write('a', chunksOf(bytes), context());
    await store.rename('a', 'b ö', context());
    expect(await keysOf(store)).toEqual(['b ö']);
    expect((await readAll(store, 'b ö')).equals(bytes)).toBe(true);
    expect((await store.stat('b ö', context()))?.etag).not.toBe(etag);
    expect(await uploads(config)).toBe(0);
  });
});

conformance({
  connector: 's3',
  system: 'MinIO',
  network: true,
  skips: {
    'a bad connection: too_many_connections': 'S3 asks for fewer requests, not for connections',
  },
  files: {
    fresh: async () => {
      const config = await minio.makeBucket();
      return { store: await minio.open(config), leftovers: () => uploads(config) };
    },
  },
  start: async () => {
    const config = { ...(await minio.makeBucket()), timeoutSeconds: 1 };
    const fronts = await startFronts(minio.port);
    const { good, misnamed, strangerCertificate } = fronts;
    return {
      config,
      secrets: [config.secretAccessKey],
      at: (host, port) => ({ ...config, endpoint: `http://${host}:${port}` }),
      problems: {
        tls_mismatch: {
          config: { ...config, endpoint: config.endpoint?.replace('http', 'https') },
        },
        certificate_untrusted: {
          config: { ...config, endpoint: good.url, caCertificate: strangerCertificate },
        },
        certificate_mismatch: {
          config: { ...config, endpoint: misnamed.url, caCertificate: misnamed.caCertificate },
        },
        login_refused: { config: { ...config, secretAccessKey: 'wrong-secret' } },
        database_missing: { config: { ...config, bucket: 'nobody' } },
        permission_denied: { config: { ...config, ...(await restricted(config)) } },
      },
      stop: () => fronts.close(),
    };
  },
});
