import type { Readable } from 'node:stream';
import { RunFailure } from '../../core/failures.js';
import type { BadRow, Counts } from '../connector.js';
import { makeCsvRows } from './csvRows.js';
import { makePackets } from './packets.js';
import type { Session } from './session.js';
import type { FieldKind } from './wireTypes.js';

/** Chunks that may wait for their taker before the wire is stopped. */
const mostWaiting = 2;

/** So many rows that are too large are no exception any more. */
const mostRejected = 10_000;

export interface ExportedRows {
  chunks: AsyncIterable<Buffer>;
  counts(): Counts;
  rejected(): readonly BadRow[];
  /** The server has more to say. */
  isRunning(): boolean;
  /** After the last chunk: what the server remarked on while it ran. */
  warnings(): number;
}

type OnData = (chunk: Buffer) => void;

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

/** 0xff, a number, # and five letters of a state, a text. */
const errorOf = (payload: Buffer): Error =>
  Object.assign(new Error(payload.toString('utf8', payload[3] === 35 ? 9 : 3)), {
    errno: payload.readUInt16LE(1),
    code: 'ER',
  });

const commandOf = (sql: string): Buffer => {
  const text = Buffer.from(sql);
  const command = Buffer.alloc(5 + text.length);
  command.writeUIntLE(text.length + 1, 0, 3);
  command[4] = 3; // COM_QUERY
  text.copy(command, 5);
  return command;
};

/**
 * Runs a query and reads its rows off the socket itself. The driver would make a row an object, and
 * hold it however large it is; it gets its socket back as soon as the rows have ended.
 */
export const exportRows = (
  { connection }: Session,
  sql: string,
  kinds: readonly FieldKind[],
  maxRowBytes: number,
): ExportedRows => {
  const stream = (connection as unknown as { stream: Readable & { write(b: Buffer): void } })
    .stream;
  const waiting: Buffer[] = [];
  const rejected: BadRow[] = [];
  const counts = { rows: 0, bytes: 0 };
  let phase: 'header' | 'columns' | 'rows' | 'done' = 'header';
  let columnsLeft = 0;
  let warnings = 0;
  let failure: Error | undefined;
  let wake = (): void => undefined;

  const csv = makeCsvRows(kinds, (chunk) => {
    waiting.push(chunk);
    if (waiting.length >= mostWaiting) stream.pause();
    wake();
  });

  const end = (error?: Error): void => {
    if (phase === 'done') return;
    phase = 'done';
    failure = error;
    csv.flush();
    stream.off('data', onData).off('close', onClose);
    for (const listener of drivers) stream.on('data', listener);
    stream.resume();
    wake();
  };

  const onColumnCount = (count: number): void => {
    if (count === kinds.length) {
      columnsLeft = count;
      phase = 'columns';
      return;
    }
    end(Object.assign(new Error('not the columns it had'), { errno: 1054, code: 'ER' }));
  };

  const onPacket = (buffer: Buffer, from: number, to: number): void => {
    const first = buffer[from] ?? 0;
    if (phase === 'done') return;
    if (first === 0xff) {
      end(errorOf(buffer.subarray(from, to)));
    } else if (phase === 'header') {
      onColumnCount(first < 0xfb ? first : buffer.readUInt16LE(from + 1));
    } else if (phase === 'columns') {
      // Their definitions are known; behind them comes a packet that says so.
      if (columnsLeft === 0) phase = 'rows';
      else columnsLeft -= 1;
    } else if (first === 0xfe && to - from < 9) {
      warnings = buffer.readUInt16LE(from + 1);
      end();
    } else {
      counts.bytes += csv.row(buffer, from, to);
      counts.rows += 1;
    }
  };

  const push = makePackets(maxRowBytes, {
    onPacket,
    onTooLarge: (bytes) => {
      if (phase !== 'rows') return;
      rejected.push(tooLarge(counts.rows + rejected.length, bytes, maxRowBytes));
      if (rejected.length > mostRejected) throw tooManyTooLarge(maxRowBytes);
    },
  });

  const drivers = stream.listeners('data') as OnData[];
  const onClose = (): void =>
    end(Object.assign(new Error('the line is cut'), { code: 'PROTOCOL_CONNECTION_LOST' }));
  const onData = (chunk: Buffer): void => {
    try {
      push(chunk);
    } catch (error) {
      stream.destroy();
      end(error as Error);
    }
  };
  for (const listener of drivers) stream.off('data', listener);
  stream.on('data', onData).on('close', onClose);
  stream.write(commandOf(sql));

  async function* chunks(): AsyncGenerator<Buffer> {
    for (;;) {
      const chunk = waiting.shift();
      if (chunk) {
        if (waiting.length < mostWaiting) stream.resume();
        yield chunk;
        continue;
      }
      if (failure) throw failure;
      if (phase === 'done') return;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  }

  return {
    chunks: chunks(),
    counts: () => ({ ...counts }),
    rejected: () => rejected,
    isRunning: () => phase !== 'done',
    warnings: () => warnings,
  };
};
