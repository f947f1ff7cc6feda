import { createHash } from 'node:crypto';

/** The key that wraps every data key, and the short name by which sealed texts refer to it. */
export interface MasterKey {
  id: string;
  bytes: Buffer;
}

const keyBytes = 32;

export const masterKeyFromBase64 = (text: string): MasterKey => {
  const bytes = Buffer.from(text, 'base64');
  const wellFormed = /^[A-Za-z0-9+/]+={0,2}$/.test(text);
  if (!wellFormed || bytes.length !== keyBytes) {
    const found = wellFormed ? `${bytes.length} bytes` : 'other characters';
    throw new Error(
      `expected ${keyBytes} bytes in base64 (openssl rand -base64 ${keyBytes}), found ${found}`,
    );
  }
  return { id: createHash('sha256').update(bytes).digest('hex').slice(0, 8), bytes };
};
