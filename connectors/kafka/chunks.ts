import type { Line } from './lines.js';

const chunkBytes = 256 * 1024;
const lineEnd = Buffer.from('\n');

/** Lines one behind the other in chunks: whole ones, each chunk a piece of memory of its own. */
export const makeChunks = () => {
  let chunk = Buffer.allocUnsafeSlow(chunkBytes);
  let used = 0;

  const take = (): Buffer[] => {
    if (used === 0) return [];
    const full = chunk.subarray(0, used);
    chunk = Buffer.allocUnsafeSlow(chunkBytes);
    used = 0;
    return [full];
  };

  /** The chunks that are full now. */
  const add = ({ head, rest }: Line): Buffer[] => {
    const most = head.length * 3 + (rest?.length ?? 0) + 1;
    const full = most > chunkBytes - used ? take() : [];
    if (most > chunkBytes) {
      return [...full, Buffer.concat([Buffer.from(head), rest ?? Buffer.alloc(0), lineEnd])];
    }
    used += chunk.write(head, used);
    if (rest) used += rest.copy(chunk, used);
    used += lineEnd.copy(chunk, used);
    return full;
  };

  return { add, take };
};
