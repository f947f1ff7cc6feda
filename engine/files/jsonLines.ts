import { randomUUID } from 'node:crypto';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { CallContext } from '../../connectors/connector.js';
import { RunFailure } from '../../core/failures.js';
import { quoteText } from '../duckdb/quote.js';
import { plainBytes, refuseChanged } from './contents.js';
import type { FilePart } from './fileRange.js';
import { compressionOf } from './format.js';
import type { Packing } from './format.js';
import { fileChunks, limited, readablePath, unpack, writeFileFrom } from './localFiles.js';
import type { FileDeps } from './localFiles.js';

/** Longer runs of blanks at an end of a file are not looked through. */
const edgeBytes = 64 * 1024;

const incomplete = (key: string): RunFailure =>
  new RunFailure({
    code: 'config_invalid',
    class: 'config',
    message: `The file ${key} begins an array of JSON and does not end it.`,
  });

/** DuckDB takes an array for complete that was cut off behind a comma. */
const refuseCutArray = async (path: string, key: string): Promise<void> => {
  const handle = await open(path, 'r');
  try {
    const { size } = await handle.stat();
    const edge = Buffer.alloc(Math.min(edgeBytes, size));
    const textAt = async (position: number): Promise<string> => {
      const { bytesRead } = await handle.read(edge, 0, edge.length, position);
      return edge.toString('latin1', 0, bytesRead);
    };
    const beginning = (await textAt(0)).replace(/^\xef\xbb\xbf/, '').trimStart();
    const end = (await textAt(size - edge.length)).trimEnd();
    if (beginning.startsWith('[') && !end.endsWith(']')) throw incomplete(key);
  } finally {
    await handle.close();
  }
};

/** A file of JSON that DuckDB can read: as it is, or unpacked. */
const readableJson = async (
  deps: FileDeps,
  file: FilePart,
  packing: Packing,
  directory: string,
  ctx: CallContext,
): Promise<{ path: string; compression: string }> => {
  const { store } = deps;
  const compression = compressionOf(file.key, packing);
  const name = join(directory, `${randomUUID()}.json`);
  if (compression === 'zstd') {
    // One line may be all of it: it cannot be unpacked by lines.
    const path = await readablePath(store, file, directory, `${randomUUID()}.packed`, ctx);
    return { path, compression: 'zstd' };
  }
  let path = name;
  if (compression === 'none') path = await readablePath(store, file, directory, randomUUID(), ctx);
  else await writeFileFrom(plainBytes(store, file, packing, ctx), name, ctx.signal);
  await refuseCutArray(path, file.key);
  return { path, compression: 'uncompressed' };
};

/** The elements of an array, or documents one after the other, each on a line of its own. */
export const jsonLines = async (
  deps: FileDeps,
  file: FilePart,
  { packing, lines }: { packing: Packing; lines?: number },
  directory: string,
  ctx: CallContext,
): Promise<AsyncIterable<Buffer>> => {
  const { path, compression } = await readableJson(deps, file, packing, directory, ctx);
  const elements =
    `SELECT json(json) FROM read_json_objects(${quoteText(path)}, format = 'auto', ` +
    `compression = '${compression}', maximum_object_size = ${deps.maxRowBytes})`;
  const target = join(directory, `${randomUUID()}.unpacked`);
  const source = { path, key: file.key, wanted: 'valid JSON' };
  const program = { select: limited(elements, lines), target, further: [] };
  await unpack(deps, source, program, directory, ctx);
  await refuseChanged(deps.store, file, ctx);
  return fileChunks(target);
};
