import { pipeline, Readable } from 'node:stream';
import { TextDecoder } from 'node:util';
import { createGunzip } from 'node:zlib';
import type { CallContext } from '../../connectors/connector.js';
import type { Store } from '../../connectors/store.js';
import { RunFailure } from '../../core/failures.js';
import { withoutMark } from '../csv/guardRows.js';
import type { FilePart } from './fileRange.js';
import { compressionOf } from './format.js';
import type { Encoding, Packing } from './format.js';

const changed = (key: string): RunFailure =>
  new RunFailure({
    code: 'schema_drift',
    class: 'schema',
    message: `The file ${key} changed after the run had begun to read it: run it again.`,
  });

/** Refuses a file that is not the one that was planned. */
export const refuseChanged = async (
  store: Store,
  { key, etag }: FilePart,
  ctx: CallContext,
): Promise<void> => {
  const file = await store.stat(key, ctx);
  if (file?.etag !== etag) throw changed(key);
};

const broken = (key: string, cause: unknown): RunFailure =>
  new RunFailure(
    {
      code: 'config_invalid',
      class: 'config',
      message: `The file ${key} is no complete gzip file.`,
    },
    { cause },
  );

async function* gunzipped(key: string, chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const gunzip = createGunzip({ chunkSize: 256 * 1024 });
  let failure: unknown;
  // Its callback has the error, and the iteration below ends with it.
  pipeline(Readable.from(chunks, { objectMode: true }), gunzip, (error) => {
    failure = error;
  });
  try {
    for await (const chunk of gunzip as AsyncIterable<Buffer>) yield chunk;
  } catch (error) {
    const code = (error as { code?: unknown }).code;
    throw typeof code === 'string' && code.startsWith('Z_')
      ? broken(key, error)
      : (failure ?? error);
  }
}

/** In UTF-8, whatever it was in. UTF-16 is taken for little-endian unless its mark says otherwise. */
async function* decoded(chunks: AsyncIterable<Buffer>, encoding: Encoding): AsyncGenerator<Buffer> {
  let decoder: TextDecoder | undefined;
  for await (const chunk of chunks) {
    const backwards = chunk[0] === 0xfe && chunk[1] === 0xff;
    const utf16 = backwards ? 'utf-16be' : 'utf-16le';
    decoder ??= new TextDecoder(encoding === 'utf-16' ? utf16 : 'latin1');
    yield Buffer.from(decoder.decode(chunk, { stream: true }));
  }
  const rest = decoder?.decode() ?? '';
  if (rest !== '') yield Buffer.from(rest);
}

/**
 * The plain bytes of a file or of a part of it, without a byte order mark. Not for zstd, which
 * only DuckDB can read.
 */
export async function* plainBytes(
  store: Store,
  part: FilePart,
  packing: Packing,
  ctx: CallContext,
): AsyncGenerator<Buffer> {
  await refuseChanged(store, part, ctx);
  const { key, from = 0, to } = part;
  const bytes = store.read(key, to === undefined ? { from } : { from, to }, ctx);
  const plain = compressionOf(key, packing) === 'gzip' ? gunzipped(key, bytes) : bytes;
  const text = packing.encoding === 'utf-8' ? plain : decoded(plain, packing.encoding);
  yield* from === 0 ? withoutMark(text) : text;
  // Somebody may have written into it meanwhile; then what was read is of both.
  await refuseChanged(store, part, ctx);
}

/** The beginning of a stream, no longer than `most`. */
export const beginningOf = async (
  chunks: AsyncIterable<Buffer>,
  most: number,
): Promise<{ bytes: Buffer; whole: boolean }> => {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    parts.push(chunk);
    length += chunk.length;
    if (length >= most) return { bytes: Buffer.concat(parts).subarray(0, most), whole: false };
  }
  return { bytes: Buffer.concat(parts), whole: true };
};
