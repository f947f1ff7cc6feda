/**
 * Envelope encryption. Every secret has a data key of its own, wrapped by the master key; both
 * layers are AES-256-GCM and bound to the place the secret belongs to, so that a sealed text moved
 * to another row does not open. Form:
 *
 *   v1 . <master key id> . <wrapped data key> . <secret>      (iv ‖ ciphertext ‖ tag, base64url)
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { MasterKey } from './masterKey.js';

/** Where a secret lives. */
export interface Place {
  table: string;
  row: string;
  field: string;
}

export interface Box {
  seal(text: string, place: Place): string;
  open(sealed: string, place: Place): string;
}

/** Says nothing about why: a wrong key, a moved row and a flipped bit look the same. */
export class SealError extends Error {
  override readonly name = 'SealError';

  constructor() {
    super('The secret cannot be opened.');
  }
}

const algorithm = 'aes-256-gcm';
const version = 'v1';
const keyBytes = 32;
const ivBytes = 12;
const tagBytes = 16;

const encrypt = (key: Buffer, plain: Buffer, aad: Buffer): string => {
  const iv = randomBytes(ivBytes);
  const cipher = createCipheriv(algorithm, key, iv).setAAD(aad);
  const body = Buffer.concat([cipher.update(plain), cipher.final()]);
  return Buffer.concat([iv, body, cipher.getAuthTag()]).toString('base64url');
};

const decrypt = (key: Buffer, text: string, aad: Buffer): Buffer => {
  const bytes = Buffer.from(text, 'base64url');
  // Decoding is lenient; only the one spelling that sealing produced is ours.
  if (bytes.length < ivBytes + tagBytes || bytes.toString('base64url') !== text)
    throw new SealError();
  const iv = bytes.subarray(0, ivBytes);
  const body = bytes.subarray(ivBytes, bytes.length - tagBytes);
  const tag = bytes.subarray(bytes.length - tagBytes);
  const decipher = createDecipheriv(algorithm, key, iv, { authTagLength: tagBytes })
    .setAAD(aad)
    .setAuthTag(tag);
  return Buffer.concat([decipher.update(body), decipher.final()]);
};

/** As JSON, so that no two places share a form whatever signs their parts contain. */
const aadOf = (keyId: string, { table, row, field }: Place): Buffer =>
  Buffer.from(JSON.stringify([version, keyId, table, row, field]));

export const makeBox = (master: MasterKey): Box => ({
  seal: (text, place) => {
    const dataKey = randomBytes(keyBytes);
    const aad = aadOf(master.id, place);
    const wrapped = encrypt(master.bytes, dataKey, aad);
    return [version, master.id, wrapped, encrypt(dataKey, Buffer.from(text), aad)].join('.');
  },

  open: (sealed, place) => {
    const [form, keyId, wrapped, secret, ...rest] = sealed.split('.');
    if (form !== version || keyId !== master.id || !wrapped || !secret || rest.length > 0) {
      throw new SealError();
    }
    try {
      const aad = aadOf(keyId, place);
      return decrypt(decrypt(master.bytes, wrapped, aad), secret, aad).toString('utf8');
    } catch {
      throw new SealError();
    }
  },
});
