import type { CsvDialect } from './dialect.js';
import { makeRowScanner } from './rowScanner.js';

/**
 * Where a csv can be cut: offsets at which rows begin, about `targetBytes` apart. Only who has seen
 * everything before knows whether a line end is within quotes, so all of it is looked at; nothing
 * of it is kept.
 */
export const splitPoints = async (
  chunks: AsyncIterable<Buffer>,
  targetBytes: number,
  dialect: CsvDialect,
): Promise<number[]> => {
  const scanner = makeRowScanner(dialect);
  const points: number[] = [];
  let base = 0;
  let next = targetBytes;
  for await (const chunk of chunks) {
    const { count, ends } = scanner.scan(chunk);
    for (let index = 0; index < count && base + chunk.length >= next; index++) {
      const offset = base + (ends[index] ?? 0);
      if (offset < next) continue;
      points.push(offset);
      next = offset + targetBytes;
    }
    base += chunk.length;
  }
  // What begins at the end is nothing.
  return points.at(-1) === base ? points.slice(0, -1) : points;
};
