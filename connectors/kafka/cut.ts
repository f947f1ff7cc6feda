import type { Part } from './bounds.js';

/** More splits than this cost more than they bring. */
const mostRanges = 5_000;

/**
 * Long partitions in several ranges, short ones together in one: about `offsets` in each. In order,
 * without overlap, and nothing left out.
 */
export const cutParts = (parts: readonly Part[], offsets: number): Part[][] => {
  const total = parts.reduce((sum, { from, to }) => sum + to - from, 0);
  const size = Math.max(1, Math.floor(offsets), Math.ceil(total / mostRanges));
  const ranges: Part[][] = [];
  let current: Part[] = [];
  let room = size;
  const close = (): void => {
    if (current.length > 0) ranges.push(current);
    current = [];
    room = size;
  };
  for (const { partition, from, to } of parts) {
    for (let start = from; start < to;) {
      const end = Math.min(to, start + room);
      current.push({ partition, from: start, to: end });
      room -= end - start;
      start = end;
      if (room === 0) close();
    }
  }
  close();
  return ranges;
};
