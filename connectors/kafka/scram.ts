/** SCRAM (RFC 5802): both sides show that they know the password, and neither says it. */
import { createHash, createHmac, pbkdf2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

const derive = promisify(pbkdf2);

const algorithms = {
  'scram-sha-256': { hash: 'sha256', length: 32 },
  'scram-sha-512': { hash: 'sha512', length: 64 },
} as const;

export type ScramMechanism = keyof typeof algorithms;

/** Fewer than the least that the standard allows betray the password; more keep a worker busy. */
const iterationsAllowed = { least: 4_096, most: 1_000_000 };

export interface Credentials {
  username: string;
  password: string;
}

/** The other side does not keep to the rules, or does not know the password either. */
export class ScramRefused extends Error {
  override readonly name = 'ScramRefused';
}

const saslName = (name: string): string => name.replaceAll('=', '=3D').replaceAll(',', '=2C');

const attributesOf = (message: Buffer): Map<string, string> =>
  new Map(
    message
      .toString()
      .split(',')
      .map((part) => [part.slice(0, 1), part.slice(2)]),
  );

const xor = (left: Buffer, right: Buffer): Buffer =>
  Buffer.from(left.map((byte, index) => byte ^ (right[index] ?? 0)));

/** No binding to a TLS channel; `biws` is its base64. */
const noBinding = 'n,,';

/** `exchange` sends one message and gives the answer to it. */
export const logInByScram = async (
  mechanism: ScramMechanism,
  { username, password }: Credentials,
  exchange: (message: Buffer) => Promise<Buffer>,
): Promise<void> => {
  const { hash, length } = algorithms[mechanism];
  const hmac = (key: Buffer, text: string): Buffer => createHmac(hash, key).update(text).digest();
  const nonce = randomBytes(24).toString('base64url');
  const first = `n=${saslName(username)},r=${nonce}`;
  const challenge = await exchange(Buffer.from(noBinding + first));
  const said = attributesOf(challenge);
  const serverNonce = said.get('r') ?? '';
  const iterations = Number(said.get('i'));
  if (!serverNonce.startsWith(nonce) || serverNonce === nonce) throw new ScramRefused('nonce');
  const { least, most } = iterationsAllowed;
  if (!(iterations >= least && iterations <= most)) throw new ScramRefused('iterations');
  const salt = Buffer.from(said.get('s') ?? '', 'base64');
  const salted = await derive(password.normalize('NFKC'), salt, iterations, length, hash);
  const clientKey = hmac(salted, 'Client Key');
  const stored = createHash(hash).update(clientKey).digest();
  const bare = `c=${Buffer.from(noBinding).toString('base64')},r=${serverNonce}`;
  const all = `${first},${challenge.toString()},${bare}`;
  const proof = xor(clientKey, hmac(stored, all)).toString('base64');
  const verdict = attributesOf(await exchange(Buffer.from(`${bare},p=${proof}`)));
  const expected = hmac(hmac(salted, 'Server Key'), all);
  const signature = Buffer.from(verdict.get('v') ?? '', 'base64');
  if (signature.length !== expected.length || !timingSafeEqual(signature, expected)) {
    throw new ScramRefused('signature');
  }
};
