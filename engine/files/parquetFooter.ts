import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { CallContext } from '../../connectors/connector.js';
import type { Store } from '../../connectors/store.js';
import { refuseChanged } from './contents.js';
import type { FilePart } from './fileRange.js';

/** Most footers are shorter. */
const usualFooter = 256 * 1024;

/** At the end: the footer's length, and `PAR1`. */
const trailer = 8;

const bytesOf = async (
  store: Store,
  key: string,
  range: { from: number; to: number },
  ctx: CallContext,
): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  for await (const chunk of store.read(key, range, ctx)) chunks.push(chunk);
  return Buffer.concat(chunks);
};

/**
 * A Parquet file of which only the end can be read, where its schema and sizes are: in place, or as
 * a file with a hole in the directory, so that no more than that is fetched.
 */
export const footerOnly = async (
  store: Store,
  part: FilePart,
  directory: string,
  name: string,
  ctx: CallContext,
): Promise<string> => {
  const { key, bytes } = part;
  await refuseChanged(store, part, ctx);
  if (store.localPath) return store.localPath(key);
  let from = Math.max(0, bytes - usualFooter);
  let end = await bytesOf(store, key, { from, to: bytes }, ctx);
  const length = end.length >= trailer ? end.readUInt32LE(end.length - trailer) + trailer : 0;
  if (length > end.length && length <= bytes) {
    from = bytes - length;
    end = await bytesOf(store, key, { from, to: bytes }, ctx);
  }
  await refuseChanged(store, part, ctx);
  const path = join(directory, name);
  const file = await open(path, 'wx');
  try {
    await file.write(Buffer.from('PAR1'), 0, 4, 0);
    await file.write(end, 0, end.length, from);
  } finally {
    await file.close();
  }
  return path;
};
