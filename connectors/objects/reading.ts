import { setTimeout as wait } from 'node:timers/promises';
import { isRetryable } from '../../core/failures.js';
import type { CallContext } from '../connector.js';
import { changedFile } from './failures.js';
import type { Words } from './failures.js';
import { transportFailure } from './sender.js';

/** Bytes [from, to); to the end without `to`. */
export interface ByteRange {
  from: number;
  to?: number;
}

/** As a header of HTTP says it; nothing where all of the file is meant. */
export const rangeHeader = ({ from, to }: ByteRange): { range?: string } =>
  from === 0 && to === undefined
    ? {}
    : { range: `bytes=${from}-${to === undefined ? '' : to - 1}` };

/** A file, opened for reading. */
export interface OpenedFile {
  etag: string;
  chunks: AsyncIterable<Buffer>;
}

export interface FileReading {
  /** For messages. */
  key: string;
  words: Words;
  /** Undefined where the file ends before the range begins. With an etag: of that very file. */
  open: (range: ByteRange, etag: string | undefined) => Promise<OpenedFile | undefined>;
  /** Fails where there is no such file. */
  requireThere: () => Promise<unknown>;
}

/** So often in a row without a byte. */
const mostFailures = 4;
const pauseMs = 250;

/**
 * The bytes of a file, whatever happens to the connections they come over: what is broken off goes
 * on at the byte that was reached, and only in the very file that was begun.
 */
export async function* resumingRead(
  { key, words, open, requireThere }: FileReading,
  { from, to }: ByteRange,
  { signal }: CallContext,
): AsyncGenerator<Buffer> {
  let at = from;
  let etag: string | undefined;
  signal.throwIfAborted();
  if (to !== undefined && to <= from) {
    await requireThere();
    return;
  }
  for (let failures = 0; ; failures++) {
    signal.throwIfAborted();
    // The last byte came, and then its connection broke.
    if (to !== undefined && at >= to) return;
    const file = await open(to === undefined ? { from: at } : { from: at, to }, etag);
    if (!file) return;
    if (etag !== undefined && file.etag !== etag) throw changedFile(key);
    etag = file.etag;
    let arrived: AsyncIterator<Buffer> | undefined;
    try {
      arrived = file.chunks[Symbol.asyncIterator]();
      for (;;) {
        const next = await arrived.next();
        if (next.done === true) {
          arrived = undefined;
          return;
        }
        at += next.value.length;
        failures = 0;
        yield next.value;
      }
    } catch (error) {
      signal.throwIfAborted();
      const failure = transportFailure(error, words);
      if (!isRetryable(failure.failure) || failures === mostFailures) throw failure;
      await wait(pauseMs * 2 ** failures, undefined, { signal }).catch(() => undefined);
    } finally {
      await arrived?.return?.();
    }
  }
}
