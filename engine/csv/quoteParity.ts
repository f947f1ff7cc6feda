const noWords = new Uint32Array(0);

/**
 * Whether a byte occurs an odd number of times, four bytes at a time: each of a word's bytes keeps
 * its own parity in its highest bit, and only in the end they are taken together.
 */
export const isOdd = (bytes: Buffer, wanted: number): boolean => {
  const { buffer, byteOffset, length } = bytes;
  const head = Math.min(length, (4 - (byteOffset % 4)) % 4);
  const count = (length - head) >> 2;
  const words = count > 0 ? new Uint32Array(buffer, byteOffset + head, count) : noWords;
  const pattern = Math.imul(wanted, 0x01010101);
  let parity = 0;
  for (let index = 0; index < words.length; index++) {
    const difference = (words[index] ?? 0) ^ pattern;
    // The high bit of each byte stays 0 only where the byte is the wanted one.
    parity ^= ((difference & 0x7f7f7f7f) + 0x7f7f7f7f) | difference;
  }
  // A byte that is another one has flipped its bit, too: as many as there are words.
  let odd = ((parity >>> 31) ^ (parity >>> 23) ^ (parity >>> 15) ^ (parity >>> 7)) & 1;
  for (let index = 0; index < head; index++) if (bytes[index] === wanted) odd ^= 1;
  for (let index = head + words.length * 4; index < length; index++) {
    if (bytes[index] === wanted) odd ^= 1;
  }
  return odd === 1;
};
