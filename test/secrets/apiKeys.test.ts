import { createHash } from 'node:crypto';
import { describeApiKey, hashApiKey, isApiKey, newApiKey } from '../../secrets/apiKeys.js';

/** Made with Python's zlib. */
const crcOfZeros = 'flx_0000000000000000000000000000002C8GjS';
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** CRC-32 by its definition, to check the fast one against. */
const crc32 = (text: string): number => {
  let crc = 0xffffffff;
  for (const byte of Buffer.from(text)) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return (crc ^ 0xffffffff) >>> 0;
};

const base62 = (text: string): number =>
  Array.from(text).reduce((sum, sign) => sum * 62 + alphabet.indexOf(sign), 0);

it('makes keys of the published form, with the CRC-32 of the random part', () => {
  for (let count = 0; count < 100; count++) {
    const { secret } = newApiKey();
    const [, random = '', check = ''] =
      /^flx_([0-9A-Za-z]{30})([0-9A-Za-z]{6})$/.exec(secret) ?? [];
    expect(base62(check)).toBe(crc32(random));
    expect(isApiKey(secret)).toBe(true);
  }
});

it('makes each key once, of all 62 characters', () => {
  const keys = Array.from({ length: 500 }, () => newApiKey().secret);
  expect(new Set(keys).size).toBe(500);
  expect(new Set(keys.flatMap((key) => Array.from(key.slice(4, 34)))).size).toBe(62);
});

it('hands out a prefix to recognise and a hash to find, which are those of the secret', () => {
  const key = newApiKey();
  expect(key).toEqual({
    secret: key.secret,
    prefix: key.secret.slice(0, 12),
    hash: createHash('sha256').update(key.secret).digest('hex'),
  });
  expect(describeApiKey(key.secret)).toEqual(key);
  expect(hashApiKey(key.secret)).toBe(key.hash);
});

it('refuses a key with any character changed, without hashing it', () => {
  const { secret } = newApiKey();
  for (let at = 0; at < secret.length; at++) {
    const other = secret[at] === 'a' ? 'b' : 'a';
    const changed = secret.slice(0, at) + other + secret.slice(at + 1);
    expect(isApiKey(changed)).toBe(false);
    expect(hashApiKey(changed)).toBeUndefined();
  }
});

it('refuses a key with neighbours swapped', () => {
  const { secret } = newApiKey();
  for (let at = 4; at < secret.length - 1; at++) {
    const [a = '', b = ''] = [secret[at], secret[at + 1]];
    if (a === b) continue;
    expect(isApiKey(secret.slice(0, at) + b + a + secret.slice(at + 2))).toBe(false);
  }
});

it('agrees with what others compute', () => {
  const random = '0'.repeat(30);
  expect(base62(crcOfZeros.slice(34))).toBe(crc32(random));
  expect(isApiKey(crcOfZeros)).toBe(true);
});

it.each(['', 'flx_', 'a'.repeat(40), `flx_${'é'.repeat(36)}`, `${crcOfZeros} `, `${crcOfZeros}\n`])(
  'refuses %j',
  (text) => {
    expect(isApiKey(text)).toBe(false);
  },
);
