/** AWS Signature Version 4, over the whole request: headers, query and body. */
import { createHash, createHmac } from 'node:crypto';
import { encodeWord } from '../objects/keys.js';
import type { ObjectRequest, SignedRequest } from '../objects/sender.js';

export interface Credentials {
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
  /** Whom the request is to: `s3` unless it says something else. */
  service?: string;
}

const sha256 = (data: string | Buffer): string => createHash('sha256').update(data).digest('hex');

const hmac = (key: string | Buffer, data: string): Buffer =>
  createHmac('sha256', key).update(data).digest();

const byName = ([a]: readonly [string, string], [b]: readonly [string, string]): number =>
  a < b ? -1 : Number(a > b);

const canonicalQuery = (query: Readonly<Record<string, string>>): string =>
  Object.entries(query)
    .map(([name, value]) => [encodeWord(name), encodeWord(value)] as const)
    .sort(byName)
    .map(([name, value]) => `${name}=${value}`)
    .join('&');

/** 20260131T235959Z */
const stampOf = (now: Date): string => now.toISOString().replace(/[:-]|\.\d{3}/g, '');

export const signV4 = (
  { method, path, query = {}, headers = {}, body }: ObjectRequest,
  host: string,
  { region, accessKeyId, secretAccessKey, sessionToken, service = 's3' }: Credentials,
  now: Date,
): SignedRequest => {
  const stamp = stampOf(now);
  const day = stamp.slice(0, 8);
  const bodyHash = sha256(body ?? '');
  const sent: Readonly<Record<string, string>> = {
    ...headers,
    host,
    'x-amz-date': stamp,
    'x-amz-content-sha256': bodyHash,
    ...(sessionToken === undefined ? {} : { 'x-amz-security-token': sessionToken }),
  };
  const lines = Object.entries(sent)
    .map(([name, value]) => [name.toLowerCase(), value.trim().replace(/ +/g, ' ')] as const)
    .sort(byName);
  const names = lines.map(([name]) => name).join(';');
  const canonical = [
    method,
    path,
    canonicalQuery(query),
    ...lines.map(([name, value]) => `${name}:${value}`),
    '',
    names,
    bodyHash,
  ].join('\n');
  const scope = `${day}/${region}/${service}/aws4_request`;
  const text = `AWS4-HMAC-SHA256\n${stamp}\n${scope}\n${sha256(canonical)}`;
  const key = [day, region, service, 'aws4_request'].reduce(
    (secret: string | Buffer, part) => hmac(secret, part),
    `AWS4${secretAccessKey}`,
  );
  const signature = hmac(key, text).toString('hex');
  const authorization =
    `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${scope}, ` +
    `SignedHeaders=${names}, Signature=${signature}`;
  return { query, headers: { ...sent, authorization } };
};
