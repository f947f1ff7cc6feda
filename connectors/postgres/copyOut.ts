import type { Readable } from 'node:stream';
import type pg from 'pg';
import type { BadRow, BulkFormat, Counts } from '../connector.js';
import { RunFailure } from '../../core/failures.js';
import { makeCopyFrames } from './copyFrames.js';

/** Pieces off the wire are joined into chunks of this size: whoever takes them has fewer calls. */
const chunkBytes = 128 * 1024;

/** Chunks that may wait for their taker before the wire is stopped. */
const mostWaiting = 2;

/** So many rows that are too large are no exception any more. */
const mostRejected = 10_000;

export interface CopyOut {
  chunks: AsyncIterable<Buffer>;
  counts(): Counts;
  rejected(): readonly BadRow[];
  /** The server has more to say. */
  isRunning(): boolean;
}

interface CopyOptions {
  format: BulkFormat;
  maxRowBytes: number;
}

/** The parts of the driver's connection that its type declarations leave out or get wrong. */
interface Wire {
  stream: Readable;
  parse(message: { text: string }): void;
  bind(message: object): void;
  execute(message: object): void;
  sync(): void;
}

type OnData = (chunk: Buffer) => void;

/**
 * Runs `copy … to stdout` and reads its rows off the socket itself. The driver would hold every row
 * as a message of its own, however large; it gets its socket back as soon as the rows have ended,
 * and reads from there on what the server says about them.
 */
export const copyOut = (
  client: pg.Client,
  sql: string,
  { format, maxRowBytes }: CopyOptions,
): CopyOut => {
  const waiting: Buffer[] = [];
  const rejected: BadRow[] = [];
  let joined = Buffer.allocUnsafeSlow(chunkBytes);
  let joinedHas = 0;
  let failure: Error | undefined;
  let ended = false;
  let running = true;
  let tag: number | undefined;
  let wake = (): void => undefined;
  let stream: Readable | undefined;

  const handOn = (chunk: Buffer): void => {
    waiting.push(chunk);
    if (waiting.length >= mostWaiting) stream?.pause();
    wake();
  };

  const emit = (piece: Buffer): void => {
    if (joinedHas + piece.length > chunkBytes) flush();
    if (piece.length >= chunkBytes) {
      handOn(piece);
      return;
    }
    piece.copy(joined, joinedHas);
    joinedHas += piece.length;
  };

  const flush = (): void => {
    if (joinedHas === 0) return;
    handOn(joined.subarray(0, joinedHas));
    joined = Buffer.allocUnsafeSlow(chunkBytes);
    joinedHas = 0;
  };

  const fail = (error: Error): void => {
    failure ??= error;
    ended = true;
    wake();
  };

  const frames = makeCopyFrames(format, maxRowBytes, emit, (row, bytes) => {
    if (rejected.length < mostRejected) rejected.push(tooLarge(row, bytes, maxRowBytes));
    else fail(tooManyTooLarge(maxRowBytes));
  });

  const takeOver = (wire: Wire): void => {
    stream = wire.stream;
    const drivers = wire.stream.listeners('data') as OnData[];
    for (const listener of drivers) wire.stream.off('data', listener);
    const onData = (chunk: Buffer): void => {
      const rest = frames.push(chunk);
      if (!rest) return;
      flush();
      wire.stream.off('data', onData);
      for (const listener of drivers) {
        wire.stream.on('data', listener);
        listener(rest);
      }
      // Stopped, perhaps, for the last rows; what the server says after them is not long.
      wire.stream.resume();
    };
    wire.stream.on('data', onData);
  };

  // What the driver calls, by the names it calls.
  client.query({
    submit: (connection: unknown) => {
      const wire = connection as Wire;
      takeOver(wire);
      // The extended protocol takes one statement, whatever is in the text.
      wire.parse({ text: sql });
      wire.bind({});
      wire.execute({});
      wire.sync();
    },
    handleCommandComplete: ({ text }: { text: string }) => {
      tag = Number(/^COPY (\d+)$/.exec(text)?.[1]);
    },
    handleReadyForQuery: () => {
      running = false;
      ended = true;
      wake();
    },
    handleError: (error: Error) => {
      running = false;
      fail(error);
    },
  } as pg.Submittable);

  async function* chunks(): AsyncGenerator<Buffer> {
    for (;;) {
      const chunk = waiting.shift();
      if (chunk) {
        if (waiting.length < mostWaiting) stream?.resume();
        yield chunk;
        continue;
      }
      if (failure) throw failure;
      if (ended) break;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    refuseDifference(frames.rows().seen, tag);
  }

  return {
    chunks: chunks(),
    counts: () => ({ rows: frames.rows().kept, bytes: frames.rows().bytes }),
    rejected: () => rejected,
    isRunning: () => running,
  };
};

const tooLarge = (row: number, bytes: number, most: number): BadRow => ({
  row,
  code: 'row_too_large',
  message: `The row has ${bytes} bytes; rows may have ${most}.`,
});

const tooManyTooLarge = (most: number): RunFailure =>
  new RunFailure({
    code: 'row_too_large',
    class: 'schema',
    message: `More than ${mostRejected} rows of one split have over ${most} bytes: leave their large columns out, or raise FLX_MAX_ROW_BYTES.`,
  });

const refuseDifference = (seen: number, tag: number | undefined): void => {
  if (seen === tag) return;
  throw new RunFailure({
    code: 'count_mismatch',
    class: 'internal',
    message: `The source sent ${seen} rows and says that it sent ${tag ?? 'none'}.`,
  });
};
