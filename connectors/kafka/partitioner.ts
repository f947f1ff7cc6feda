/** MurmurHash2 as Kafka's own clients use it: the same key goes to the same partition from anywhere. */
const hashOf = (key: Buffer): number => {
  const factor = 0x5bd1e995;
  let hash = 0x9747b28c ^ key.length;
  let at = 0;
  for (; at + 4 <= key.length; at += 4) {
    let part = Math.imul(key.readInt32LE(at), factor);
    part = Math.imul(part ^ (part >>> 24), factor);
    hash = Math.imul(hash, factor) ^ part;
  }
  const left = key.length - at;
  if (left > 0) {
    for (let index = left - 1; index >= 0; index -= 1) {
      hash ^= (key[at + index] ?? 0) << (8 * index);
    }
    hash = Math.imul(hash, factor);
  }
  hash = Math.imul(hash ^ (hash >>> 13), factor);
  return hash ^ (hash >>> 15);
};

export const partitionOf = (key: Buffer, partitions: number): number =>
  (hashOf(key) & 0x7fffffff) % partitions;
