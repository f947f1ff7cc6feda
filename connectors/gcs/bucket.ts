import type { Dispatcher } from 'undici';
import type { ConnectReason } from '../../core/connecting.js';
import type { Role } from '../manifest.js';
import { oddAnswer } from '../objects/failures.js';
import { encodeWord } from '../objects/keys.js';
import { makeSender } from '../objects/sender.js';
import type { Sender, TextAnswer } from '../objects/sender.js';
import type { GcsConfig } from './manifest.js';
import { makeTokens } from './token.js';

/** A bucket that can be talked to. */
export interface Bucket extends Sender {
  /** Where its objects are, and one of them. */
  objects: string;
  pathOf: (key: string) => string;
  /** Where new ones are put. */
  uploads: string;
}

/** What the service says of an object. */
export interface ObjectFacts {
  name: string;
  size: string;
  generation: string;
  updated: string;
}

const usualEndpoint = 'https://storage.googleapis.com';

const reasons: Readonly<Record<string, ConnectReason>> = {
  authError: 'login_refused',
  required: 'login_refused',
  forbidden: 'permission_denied',
  insufficientPermissions: 'permission_denied',
};

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const codeOf = ({ text }: TextAnswer): string => {
  const answer = parsed(text) as { error?: { errors?: { reason?: unknown }[] } } | null | undefined;
  const reason = answer?.error?.errors?.[0]?.reason;
  return typeof reason === 'string' ? reason : '';
};

export const openBucket = (config: GcsConfig, role: Role, dispatcher: Dispatcher): Bucket => {
  const { endpoint = usualEndpoint, bucket, serviceAccountKey } = config;
  const { origin, host } = new URL(endpoint);
  const tokens =
    serviceAccountKey === undefined ? undefined : makeTokens(serviceAccountKey, dispatcher, role);
  const name = encodeWord(bucket);
  const objects = `/storage/v1/b/${name}/o`;
  return {
    ...makeSender({
      dispatcher,
      origin,
      words: { role, where: `Bucket ${bucket} at ${host}`, reasons },
      sign: async ({ query = {}, headers = {} }, signal) => ({
        query,
        headers: tokens
          ? { ...headers, authorization: `Bearer ${await tokens.current(signal)}` }
          : headers,
      }),
      codeOf,
    }),
    objects,
    pathOf: (key) => `${objects}/${encodeWord(key)}`,
    uploads: `/upload${objects}`,
  };
};

/** An answer as JSON that has certain members. */
export const jsonOf = <Value>(
  { words }: Sender,
  { text }: TextAnswer,
  looksRight: (value: Partial<Value>) => boolean,
): Value => {
  const value = parsed(text) as Value | null | undefined;
  if (typeof value !== 'object' || value === null || !looksRight(value)) throw oddAnswer(words);
  return value;
};
