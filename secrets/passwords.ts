import { hash, verify } from '@node-rs/argon2';

export const shortestPassword = 8;
export const longestPassword = 1_024;

/** OWASP's first choice: argon2id, 19 MiB, two passes, one lane. */
const parameters = {
  algorithm: 2, // Argon2id; the package's enum is a const one
  memoryCost: 19_456,
  timeCost: 2,
  parallelism: 1,
};

export const hashPassword = (password: string): Promise<string> => {
  const length = [...password].length;
  if (length < shortestPassword || length > longestPassword) {
    throw new RangeError(`A password has ${shortestPassword} to ${longestPassword} characters.`);
  }
  return hash(password, parameters);
};

export const verifyPassword = (hashed: string, password: string): Promise<boolean> =>
  verify(hashed, password);
