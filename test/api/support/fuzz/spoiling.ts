import type { Call } from '../http.js';
import type { Spoil } from './requests.js';

/** A request as it would be sent, before something is done to it. */
export interface Sound {
  path: string;
  query: string;
  body: unknown;
  /** Whether the last segment of the path is one to play with. */
  endsInParam: boolean;
}

export interface Sent {
  target: string;
  call: Pick<Call, 'body' | 'headers'>;
}

const hostileTexts = [
  "'; drop table projects; --",
  '\0',
  '\ud800',
  'x'.repeat(20_000),
  '../../etc/passwd',
  '${7*7}{{7*7}}',
  '<script>alert(1)</script>',
  '\u202e\u200b\ufeff',
  '%s%n%x',
  'NaN',
  '-0',
  '😀'.repeat(300),
];

const otherTypes: readonly unknown[] = [null, true, -1, 1e300, '', [], {}, [[]], 2 ** 53];

const strangeFields = ['id', 'workspace_id', 'status', 'constructor', 'créé'];

const at = <T>(list: readonly T[], pick: number): T => list[pick % list.length] as T;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !Buffer.isBuffer(value);

type Change = (body: Record<string, unknown>, key: string, pick: number) => unknown;

/** What can be done to an object; other spoils change the request around it. */
const changes: Partial<Record<Spoil['how'], Change>> = {
  'drop a field': (body, key) =>
    Object.fromEntries(Object.entries(body).filter(([name]) => name !== key)),
  'change a type': (body, key, pick) => ({ ...body, [key]: at(otherTypes, pick) }),
  'add a field': (body, _key, pick) => ({ ...body, [at(strangeFields, pick)]: 'x' }),
  'hostile text': (body, key, pick) => ({ ...body, [key]: at(hostileTexts, pick) }),
};

const changed = (body: unknown, { how, pick }: Spoil): unknown => {
  if (!isObject(body)) return at(otherTypes, pick);
  const keys = Object.keys(body);
  const key = keys.length === 0 ? 'name' : at(keys, pick);
  return changes[how]?.(body, key, pick) ?? body;
};

const nested = `${'{"a":'.repeat(100)}1${'}'.repeat(100)}`;

const encode = (body: unknown): Sent['call'] => {
  if (body === undefined) return {};
  if (Buffer.isBuffer(body))
    return { body, headers: { 'content-type': 'application/octet-stream' } };
  return { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
};

const uuid = /[0-9a-f]{8}-[0-9a-f-]{27}/;
const hostileSegments = ['%00', '%ff', "'", 'a%20b'];
const cursors = ['x', 'e30', 'bnVsbA', 'A'.repeat(4_000), '%00', '%ff'];

/** Spoils that need something the request does not have leave it as it is. */
export const makeRequest = (
  { path, query, body, endsInParam }: Sound,
  spoil: Spoil | undefined,
): Sent => {
  const joined = (more: string): string => (query === '' ? `?${more}` : `${query}&${more}`);
  const sound: Sent = { target: path + query, call: encode(body) };
  if (!spoil) return sound;
  const { how, pick } = spoil;
  const json = { 'content-type': 'application/json' };
  const requests: Partial<Record<Spoil['how'], Sent>> = {
    'deep nesting': { ...sound, call: { body: nested, headers: json } },
    'broken JSON': { ...sound, call: { body: '{"a":', headers: json } },
    'wrong media type': {
      ...sound,
      call: { body: 'a=b', headers: { 'content-type': 'text/csv' } },
    },
    'unknown parameter': { ...sound, target: path + joined('nonsense=1') },
    'garbage cursor': { ...sound, target: path + joined(`cursor=${at(cursors, pick)}`) },
    'malformed id': { ...sound, target: path.replace(uuid, 'not-an-id') + query },
    'hostile path': {
      ...sound,
      target: (endsInParam ? path.replace(/[^/]+$/, at(hostileSegments, pick)) : path) + query,
    },
  };
  const unchanged = body === undefined ? sound : { ...sound, call: encode(changed(body, spoil)) };
  return requests[how] ?? unchanged;
};
