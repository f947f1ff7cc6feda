import { createReadStream } from 'node:fs';
import type { Column, SpooledRows } from '../../connectors/connector.js';
import { bulkDialect } from './dialect.js';
import { makeRowScanner } from './rowScanner.js';

const chunkBytes = 256 * 1024;

const fileChunks = (path: string, start: number, end: number): AsyncIterable<Buffer> =>
  createReadStream(path, { start, end, highWaterMark: chunkBytes });

/** Where each row of a file in the bulk csv begins, and behind the last one, where it ends. */
const rowOffsets = async (path: string, fields: number, signal: AbortSignal) => {
  const scanner = makeRowScanner(bulkDialect, fields);
  let offsets = new Float64Array(4096);
  let count = 1;
  let base = 0;
  for await (const chunk of fileChunks(path, 0, Infinity)) {
    signal.throwIfAborted();
    const rows = scanner.scan(chunk);
    if (count + rows.count > offsets.length) {
      const more = new Float64Array(2 * (count + rows.count));
      more.set(offsets);
      offsets = more;
    }
    for (let index = 0; index < rows.count; index++) {
      offsets[count] = base + (rows.ends[index] ?? 0);
      count += 1;
    }
    base += chunk.length;
  }
  return offsets.subarray(0, count);
};

/** A file in the bulk csv, indexed so that any of its rows can be read alone. */
export const spooledRows = async (
  path: string,
  columns: readonly Column[],
  signal: AbortSignal,
): Promise<SpooledRows> => {
  const offsets = await rowOffsets(path, columns.length, signal);
  async function* read(from: number, to: number): AsyncGenerator<Buffer> {
    const start = offsets[from];
    const end = offsets[Math.min(to, offsets.length - 1)];
    if (start === undefined || end === undefined || end <= start) return;
    yield* fileChunks(path, start, end - 1);
  }
  return { count: offsets.length - 1, columns, read };
};
