import { hash, verify } from '@node-rs/argon2';

export const shortestPassword = 8;
export const longestPassword = 1_024;

/** OWASP: argon2id, 19 MiB, two passes, one lane. */
const parameters = {
  algorithm: 2, // Argon2id; the package's enum is a const one
  memoryCost: 19_456,
  timeCost: 2,
  parallelism: 1,
};

/** Counted in characters as people see them on their keys, not in UTF-16 units. */
const hasLength = (password: string): boolean => {
  // Before it is taken apart: a longer text is too long however it is counted.
  if (password.length > 2 * longestPassword) return false;
  const { length } = Array.from(password);
  return length >= shortestPassword && length <= longestPassword;
};

export const hashPassword = async (password: string): Promise<string> => {
  if (!hasLength(password)) {
    throw new RangeError(`A password has ${shortestPassword} to ${longestPassword} characters.`);
  }
  return hash(password, parameters);
};

/** What could never have been hashed is wrong without the work of finding out. */
export const verifyPassword = async (hashed: string, password: string): Promise<boolean> =>
  hasLength(password) && verify(hashed, password);
