import type { FieldKind } from './wireTypes.js';

/** Rows are joined into chunks of this size: whoever takes them has fewer calls. */
const chunkBytes = 128 * 1024;

const comma = 44;
const quote = 34;
const newline = 10;
const isNull = 0xfb;
const hexDigits = Buffer.from('0123456789abcdef');
const zone = Buffer.from('+00');

/** Shorter values are copied by hand, which is faster than a call. */
const fewBytes = 48;

const fewerThan64 = 0xfc;

/**
 * Rows of the text protocol as csv. Values come as the server writes them: a length, then the
 * bytes; what they mean is only looked at where csv is written in another way.
 */
export const makeCsvRows = (kinds: readonly FieldKind[], emit: (chunk: Buffer) => void) => {
  let out = Buffer.allocUnsafeSlow(chunkBytes);
  let at = 0;

  const flush = (): void => {
    if (at === 0) return;
    emit(out.subarray(0, at));
    out = Buffer.allocUnsafeSlow(chunkBytes);
    at = 0;
  };

  const copy = (from: Buffer, start: number, end: number): void => {
    if (end - start > fewBytes) {
      from.copy(out, at, start, end);
      at += end - start;
      return;
    }
    for (let i = start; i < end; i += 1) out[at++] = from[i] as number;
  };

  const text = (from: Buffer, start: number, end: number): void => {
    out[at++] = quote;
    if (end - start > fewBytes) {
      let done = start;
      for (let next = from.indexOf(quote, done); next >= 0 && next < end;) {
        copy(from, done, next + 1);
        out[at++] = quote;
        done = next + 1;
        next = from.indexOf(quote, done);
      }
      copy(from, done, end);
    } else {
      for (let i = start; i < end; i += 1) {
        const byte = from[i] as number;
        out[at++] = byte;
        if (byte === quote) out[at++] = quote;
      }
    }
    out[at++] = quote;
  };

  const hex = (from: Buffer, start: number, end: number): void => {
    out[at++] = 92; // \
    out[at++] = 120; // x
    for (let i = start; i < end; i += 1) {
      const byte = from[i] as number;
      out[at++] = hexDigits[byte >> 4] as number;
      out[at++] = hexDigits[byte & 15] as number;
    }
  };

  const bits = (from: Buffer, start: number, end: number): void => {
    const number = start === end ? 0n : BigInt(`0x${from.toString('hex', start, end)}`);
    at += out.write(number.toString(), at, 'latin1');
  };

  const value = (kind: FieldKind, from: Buffer, start: number, end: number): void => {
    switch (kind) {
      case 'plain':
        copy(from, start, end);
        break;
      case 'text':
        text(from, start, end);
        break;
      case 'bytes':
        hex(from, start, end);
        break;
      case 'moment':
        copy(from, start, end);
        copy(zone, 0, zone.length);
        break;
      case 'flag':
        out[at++] = from[end - 1] === 0 ? 102 : 116; // f or t
        break;
      case 'bits':
        bits(from, start, end);
    }
  };

  /** A row, from its payload; its bytes as csv. */
  const row = (from: Buffer, start: number, end: number): number => {
    // No value takes more than twice its bytes, its length, and what goes around it.
    const most = 2 * (end - start) + 32 * kinds.length;
    if (at + most > out.length) {
      flush();
      if (most > chunkBytes) out = Buffer.allocUnsafeSlow(most);
    }
    const began = at;
    let next = start;
    for (let column = 0; column < kinds.length; column += 1) {
      if (column > 0) out[at++] = comma;
      let length = from[next++] as number;
      if (length === isNull) continue;
      if (length >= fewerThan64) {
        const width = length === fewerThan64 ? 2 : length === 0xfd ? 3 : 6;
        length = from.readUIntLE(next, width);
        next += width === 6 ? 8 : width;
      }
      value(kinds[column] as FieldKind, from, next, next + length);
      next += length;
    }
    out[at++] = newline;
    const bytes = at - began;
    if (next !== end) throw new RangeError('a row has not as many values as there are columns');
    return bytes;
  };

  return { row, flush };
};
