import { createHash, randomBytes } from 'node:crypto';
import { masterKeyFromBase64 } from '../../secrets/masterKey.js';

it('is 32 bytes, and called by the first 8 hex digits of their hash', () => {
  const bytes = randomBytes(32);
  const key = masterKeyFromBase64(bytes.toString('base64'));
  expect(key.bytes).toEqual(bytes);
  expect(key.id).toBe(createHash('sha256').update(bytes).digest('hex').slice(0, 8));
});

it.each([
  ['31 bytes', randomBytes(31).toString('base64'), /found 31 bytes/],
  ['64 hex digits', randomBytes(32).toString('hex'), /found 48 bytes/],
  ['a password', 'correct horse battery staple', /found other characters/],
  ['nothing', '', /found other characters/],
])('is not %s, and says what it should be', (_, text, found) => {
  expect(() => masterKeyFromBase64(text)).toThrow(found);
  expect(() => masterKeyFromBase64(text)).toThrow(/32 bytes in base64 \(openssl/);
});

it('is not repeated in the complaint', () => {
  const text = randomBytes(31).toString('base64');
  expect(() => masterKeyFromBase64(text)).toThrow(
    expect.objectContaining({ message: expect.not.stringContaining(text) as string }) as Error,
  );
});
