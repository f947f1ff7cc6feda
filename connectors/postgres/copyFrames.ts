import type { BulkFormat } from '../connector.js';

/** How a message begins: its type in one byte, its length (itself included) in four. */
const headerBytes = 5;
const copyData = 0x64;
const copyDone = 0x63;
const errorResponse = 0x45;

/** The binary format opens with its signature and flags, in one message with the first row. */
const binaryPreamble = 19;
const binaryTrailer = Buffer.from([0xff, 0xff]);

/** From here on the loop over single bytes costs more than a call. */
const callBytes = 40;

export interface CopyFrames {
  /** The end of the rows where it is in the chunk: what follows is the driver's again. */
  push(chunk: Buffer): Buffer | undefined;
  /** Rows and bytes that went on; rows that arrived. */
  rows(): { kept: number; seen: number; bytes: number };
}

/**
 * Takes COPY OUT messages apart as they come off the wire, in whatever pieces. Every row is one
 * message, so that counting rows, and leaving out those whose length is over the limit, needs no
 * look into them: no part of a row that is left out is ever kept. Chunks are changed in place.
 */
export const makeCopyFrames = (
  format: BulkFormat,
  maxRowBytes: number,
  emit: (piece: Buffer) => void,
  reject: (row: number, bytes: number) => void,
): CopyFrames => {
  const header = Buffer.alloc(headerBytes);
  let headerHas = 0;
  let kept = 0;
  let seen = 0;
  let bytes = 0;
  // Of the message that is being read: what of it goes on, and what is dropped after that.
  let passing = 0;
  let dropping = 0;
  let preamble = format === 'postgres-binary' ? binaryPreamble : 0;

  /** A message of rows begins. */
  const begin = (length: number): void => {
    const row = length - preamble;
    // The trailer is a message like any other, only that no row is as short.
    const isTrailer = format === 'postgres-binary' && row === binaryTrailer.length;
    passing = length;
    if (!isTrailer) {
      if (row > maxRowBytes) {
        passing = preamble;
        dropping = row;
        reject(seen, row);
      } else kept += 1;
      seen += 1;
    }
    bytes += passing;
    preamble = 0;
  };

  /** Moves a part of the chunk to where the last one ended, without the headers between them. */
  const move = (chunk: Buffer, to: number, from: number, end: number): number => {
    if (to === from) return end;
    if (end - from >= callBytes) {
      chunk.copyWithin(to, from, end);
      return to + end - from;
    }
    let at = to;
    for (let index = from; index < end; index += 1) chunk[at++] = chunk[index] as number;
    return at;
  };

  const push = (chunk: Buffer): Buffer | undefined => {
    const size = chunk.length;
    let at = 0;
    let written = 0;
    const flush = (): void => {
      if (written > 0) emit(chunk.subarray(0, written));
    };
    while (at < size) {
      if (passing > 0) {
        const end = Math.min(size, at + passing);
        passing -= end - at;
        written = move(chunk, written, at, end);
        at = end;
      } else if (dropping > 0) {
        const end = Math.min(size, at + dropping);
        dropping -= end - at;
        at = end;
      } else if (headerHas === 0 && size - at >= headerBytes && chunk[at] === copyData) {
        const length = chunk.readUInt32BE(at + 1) - 4;
        at += headerBytes;
        begin(length);
      } else {
        header[headerHas++] = chunk[at++] as number;
        if (headerHas < headerBytes) continue;
        headerHas = 0;
        const type = header[0];
        const length = header.readUInt32BE(1) - 4;
        if (type === copyData) begin(length);
        else if (type === copyDone || type === errorResponse) {
          flush();
          return Buffer.concat([header, chunk.subarray(at)]);
        } else dropping = length;
      }
    }
    flush();
    return undefined;
  };

  return { push, rows: () => ({ kept, seen, bytes }) };
};
