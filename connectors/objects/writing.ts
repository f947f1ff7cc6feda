import { isRetryable, RunFailure } from '../../core/failures.js';
import type { CallContext } from '../connector.js';
import type { StoreFile } from '../store.js';

/** A file that is sent in parts. Nothing is seen of it before it is finished. */
export interface Upload {
  /** Parts come in order, numbered from 1; only the last is shorter than the others. */
  part: (number: number, bytes: Buffer) => Promise<void>;
  finish: () => Promise<StoreFile>;
  /** Leaves nothing of it behind. */
  abort: (signal: AbortSignal) => Promise<void>;
}

export interface Uploads {
  partBytes: number;
  /** What fits into one part goes at once. */
  whole: (bytes: Buffer) => Promise<StoreFile>;
  begin: () => Promise<Upload>;
}

const abortTimeoutMs = 15_000;

/** So many parts are of one size; a service takes 10,000, and files may be large. */
const partsOfOneSize = 1000;

const sizeOf = (number: number, partBytes: number): number =>
  partBytes * 2 ** Math.min(5, Math.floor((number - 1) / partsOfOneSize));

/** Bytes in buffers of the size of a part; the last one may be shorter, and empty if it is the only. */
async function* partsOf(
  chunks: AsyncIterable<Buffer>,
  partBytes: number,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  let number = 1;
  let part = Buffer.allocUnsafeSlow(partBytes);
  let filled = 0;
  for await (const chunk of chunks) {
    signal.throwIfAborted();
    for (let at = 0; at < chunk.length;) {
      const taken = chunk.copy(part, filled, at);
      at += taken;
      filled += taken;
      if (filled < part.length) continue;
      yield part;
      number += 1;
      part = Buffer.allocUnsafeSlow(sizeOf(number, partBytes));
      filled = 0;
    }
  }
  signal.throwIfAborted();
  if (filled > 0 || number === 1) yield part.subarray(0, filled);
}

const abortQuietly = async (upload: Upload, { log }: CallContext): Promise<void> => {
  try {
    // Whoever stopped the writing wants this nevertheless.
    await upload.abort(AbortSignal.timeout(abortTimeoutMs));
  } catch (error) {
    if (error instanceof RunFailure && !isRetryable(error.failure)) return;
    log.warn('An upload that was broken off may have left parts behind, which are not seen.');
  }
};

/**
 * Sends a stream of unknown length: one part is under way while the next is gathered, so that
 * memory holds two of them, however long it is.
 */
export const uploadParts = async (
  chunks: AsyncIterable<Buffer>,
  { partBytes, whole, begin }: Uploads,
  ctx: CallContext,
): Promise<StoreFile> => {
  const { signal } = ctx;
  signal.throwIfAborted();
  const parts = partsOf(chunks, partBytes, signal);
  let upload: Upload | undefined;
  let underWay: Promise<void> | undefined;
  let number = 0;
  try {
    for await (const part of parts) {
      if (number === 0 && part.length < partBytes) return await whole(part);
      upload ??= await begin();
      await underWay;
      number += 1;
      underWay = upload.part(number, part);
      // It is awaited once there is another part.
      underWay.catch(() => undefined);
    }
    await underWay;
    signal.throwIfAborted();
    if (!upload) throw new Error('a stream without a part');
    return await upload.finish();
  } catch (error) {
    await underWay?.catch(() => undefined);
    if (upload) await abortQuietly(upload, ctx);
    throw error;
  }
};
