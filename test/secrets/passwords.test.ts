import { hashPassword, longestPassword, verifyPassword } from '../../secrets/passwords.js';

const password = 'correct horse battery staple';

it('verifies what it hashed, and nothing else', async () => {
  const hashed = await hashPassword(password);
  expect(await verifyPassword(hashed, password)).toBe(true);
  expect(await verifyPassword(hashed, `${password} `)).toBe(false);
  expect(await verifyPassword(hashed, '')).toBe(false);
});

it('is argon2id at 19 MiB, 2 passes, 1 lane, salted each time', async () => {
  const [one, other] = await Promise.all([hashPassword(password), hashPassword(password)]);
  expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  expect(one).not.toBe(other);
});

it.each(['12345678', 'ääääääää', '😀'.repeat(8), 'x'.repeat(longestPassword)])(
  'takes %j to the last character',
  async (text) => {
    const hashed = await hashPassword(text);
    expect(await verifyPassword(hashed, text)).toBe(true);
    expect(await verifyPassword(hashed, `${text.slice(0, -1)}y`)).toBe(false);
  },
);

it.each(['', '1234567', '😀'.repeat(7), 'x'.repeat(longestPassword + 1), 'x'.repeat(1e6)])(
  'refuses one that is too short or too long (%#)',
  async (text) => {
    await expect(hashPassword(text)).rejects.toThrow(/8 to 1024 characters/);
    // Not even looked at: what is no hash would be an error.
    expect(await verifyPassword('no hash', text)).toBe(false);
    await expect(verifyPassword('no hash', password)).rejects.toThrow();
  },
);
