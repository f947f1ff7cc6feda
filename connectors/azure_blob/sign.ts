/** Azure's "Shared Key" authorization, over the method, the headers and what is addressed. */
import { createHmac } from 'node:crypto';
import type { ObjectRequest, SignedRequest } from '../objects/sender.js';

export const apiVersion = '2021-12-02';

export interface SharedKey {
  account: string;
  accountKey: string;
}

/** The headers that are signed by their place, in this order, after the length. */
const placed = [
  'content-md5',
  'content-type',
  'date',
  'if-modified-since',
  'if-match',
  'if-none-match',
  'if-unmodified-since',
  'range',
];

const byName = ([a]: readonly [string, string], [b]: readonly [string, string]): number =>
  a < b ? -1 : Number(a > b);

export const dated = (
  headers: Readonly<Record<string, string>>,
  now: Date,
): Readonly<Record<string, string>> => ({
  ...headers,
  'x-ms-date': now.toUTCString(),
  'x-ms-version': apiVersion,
});

export const signShared = (
  { method, path, query = {}, headers = {}, body }: ObjectRequest,
  { account, accountKey }: SharedKey,
  now: Date,
): SignedRequest => {
  const sent = dated(headers, now);
  const length = body === undefined || body.length === 0 ? '' : String(body.length);
  const own = Object.entries(sent)
    .filter(([name]) => name.startsWith('x-ms-'))
    .sort(byName)
    .map(([name, value]) => `${name}:${value}`);
  const asked = Object.entries(query)
    .map(([name, value]) => [name.toLowerCase(), value] as const)
    .sort(byName)
    .map(([name, value]) => `${name}:${value}`);
  const text = [
    method,
    '', // Content-Encoding
    '', // Content-Language
    length,
    ...placed.map((name) => sent[name] ?? ''),
    ...own,
    `/${account}${path}`,
    ...asked,
  ].join('\n');
  const key = Buffer.from(accountKey, 'base64');
  const signature = createHmac('sha256', key).update(text, 'utf8').digest('base64');
  return { query, headers: { ...sent, authorization: `SharedKey ${account}:${signature}` } };
};
