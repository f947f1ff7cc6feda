/**
 * API keys: `flx_`, 30 base62 characters (178 bits), and 6 more that check them. The check refuses
 * typos and made-up keys before the database is asked. Only a hash is kept: with this much entropy
 * a plain SHA-256 is enough.
 */
import { createHash, randomInt, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const randomLength = 30;
const checkLength = 6;
const prefixLength = 12;
const form = new RegExp(`^flx_[0-9A-Za-z]{${randomLength + checkLength}}$`);

export interface NewApiKey {
  /** Shown once. */
  secret: string;
  /** What people recognise it by. */
  prefix: string;
  hash: string;
}

const checkOf = (random: string): string => {
  let rest = crc32(random);
  let check = '';
  while (check.length < checkLength) {
    check = alphabet.charAt(rest % alphabet.length) + check;
    rest = Math.floor(rest / alphabet.length);
  }
  return check;
};

const hashOf = (secret: string): string => createHash('sha256').update(secret).digest('hex');

/** Form and check; the comparison takes as long for a check that is nearly right. */
export const isApiKey = (text: string): boolean => {
  if (!form.test(text)) return false;
  const random = text.slice('flx_'.length, -checkLength);
  return timingSafeEqual(Buffer.from(text.slice(-checkLength)), Buffer.from(checkOf(random)));
};

/** What the database knows a key by; undefined for what cannot be a key. */
export const hashApiKey = (text: string): string | undefined =>
  isApiKey(text) ? hashOf(text) : undefined;

/** The parts of a key that is well formed. */
export const describeApiKey = (secret: string): NewApiKey => ({
  secret,
  prefix: secret.slice(0, prefixLength),
  hash: hashOf(secret),
});

/** `randomInt` rejects what would favour some characters. */
export const newApiKey = (): NewApiKey => {
  const random = Array.from({ length: randomLength }, () =>
    alphabet.charAt(randomInt(alphabet.length)),
  ).join('');
  return describeApiKey(`flx_${random}${checkOf(random)}`);
};
