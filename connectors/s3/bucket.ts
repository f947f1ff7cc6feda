import type { Dispatcher } from 'undici';
import type { ConnectReason } from '../../core/connecting.js';
import type { Role } from '../manifest.js';
import { encodeKey } from '../objects/keys.js';
import { makeSender } from '../objects/sender.js';
import type { Sender } from '../objects/sender.js';
import { parseXml, textAt } from '../objects/xml.js';
import type { S3Config } from './manifest.js';
import { signV4 } from './sign.js';

/** A bucket that can be talked to. */
export interface Bucket extends Sender {
  name: string;
  /** The path of a key in URLs; without a key that of the bucket. */
  pathOf: (key?: string) => string;
}

const reasons: Readonly<Record<string, ConnectReason>> = {
  NoSuchBucket: 'database_missing',
  InvalidBucketName: 'database_missing',
  InvalidAccessKeyId: 'login_refused',
  SignatureDoesNotMatch: 'login_refused',
  InvalidToken: 'login_refused',
  InvalidTokenId: 'login_refused',
  ExpiredToken: 'login_refused',
  TokenRefreshRequired: 'login_refused',
  AccessDenied: 'permission_denied',
  AllAccessDisabled: 'permission_denied',
  AccountProblem: 'permission_denied',
};

/** A bucket whose name has a dot is in no certificate. */
const inPath = ({ endpoint, bucket, pathStyle }: S3Config): boolean =>
  pathStyle ?? (endpoint !== undefined || bucket.includes('.'));

const suffixOf = (region: string): string =>
  region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';

export const openBucket = (config: S3Config, role: Role, dispatcher: Dispatcher): Bucket => {
  const { endpoint, region, bucket } = config;
  const base = new URL(endpoint ?? `https://s3.${region}.${suffixOf(region)}`);
  const path = inPath(config);
  const host = path ? base.host : `${bucket}.${base.host}`;
  const root = path ? `/${bucket}` : '';
  return {
    ...makeSender({
      dispatcher,
      origin: `${base.protocol}//${host}`,
      words: { role, where: `Bucket ${bucket} at ${base.host}`, reasons, missing: 'NoSuchKey' },
      sign: (request) => signV4(request, host, config, new Date()),
      codeOf: ({ text }) => textAt(parseXml(text), 'Code'),
    }),
    name: bucket,
    pathOf: (key) => (key === undefined ? root || '/' : `${root}/${encodeKey(key)}`),
  };
};
