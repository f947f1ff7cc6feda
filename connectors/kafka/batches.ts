/** Batches of messages as they stand in a log (format 2), and how they are read. */
import { crc32c } from '@platformatic/kafka';
import { CorruptBatch, decompress } from './decompress.js';

export interface Message {
  offset: number;
  /** Milliseconds; -1 where there is none. */
  timestamp: number;
  key: Buffer | null;
  value: Buffer | null;
}

export interface Batch {
  /** The offset of its first message; some may be gone. */
  base: number;
  /** The offset behind its last one. */
  next: number;
  producerId: bigint;
  isTransactional: boolean;
  /** What a transaction came to; no messages of users. */
  isControl: boolean;
  bytes: Buffer;
}

/** Where the fields of a batch stand. */
export const layout = {
  length: 8,
  leaderEpoch: 12,
  magic: 16,
  crc: 17,
  attributes: 21,
  lastOffsetDelta: 23,
  firstTimestamp: 27,
  lastTimestamp: 35,
  producerId: 43,
  producerEpoch: 51,
  sequence: 53,
  count: 57,
  messages: 61,
} as const;

const compressionBits = 0x07;
const appendTimeBit = 0x08;
const transactionalBit = 0x10;
const controlBit = 0x20;
const magic = 2;

const int64At = (bytes: Buffer, at: number): number => Number(bytes.readBigInt64BE(at));

const batchAt = (records: Buffer, at: number, end: number): Batch => {
  const bytes = records.subarray(at, end);
  if (bytes.length < layout.messages || bytes[layout.magic] !== magic) {
    throw new CorruptBatch('format');
  }
  if (crc32c(bytes.subarray(layout.attributes)) !== bytes.readUInt32BE(layout.crc)) {
    throw new CorruptBatch('checksum');
  }
  const attributes = bytes.readInt16BE(layout.attributes);
  const base = int64At(bytes, 0);
  return {
    base,
    next: base + bytes.readInt32BE(layout.lastOffsetDelta) + 1,
    producerId: bytes.readBigInt64BE(layout.producerId),
    isTransactional: (attributes & transactionalBit) !== 0,
    isControl: (attributes & controlBit) !== 0,
    bytes,
  };
};

/** A broker cuts off what it sends wherever the limit is: the last batch may not be whole. */
export const batchesIn = (records: Buffer): Batch[] => {
  const batches: Batch[] = [];
  for (let at = 0; at + layout.leaderEpoch <= records.length;) {
    const end = at + layout.leaderEpoch + records.readInt32BE(at + layout.length);
    if (end > records.length) break;
    batches.push(batchAt(records, at, end));
    at = end;
  }
  return batches;
};

/** Signed whole numbers of any length, seven bits a byte. */
class Cursor {
  at = 0;

  constructor(private readonly bytes: Buffer) {}

  number(): number {
    let sum = 0;
    for (let scale = 1; scale <= 2 ** 63; scale *= 128) {
      const byte = this.bytes[this.at++];
      if (byte === undefined) break;
      sum += (byte & 0x7f) * scale;
      if (byte < 0x80) return sum % 2 === 0 ? sum / 2 : -(sum + 1) / 2;
    }
    throw new CorruptBatch('number');
  }

  /** Bytes behind their length; -1 stands for none. */
  part(): Buffer | null {
    const length = this.number();
    if (length < 0) return null;
    const from = this.at;
    this.at += length;
    if (this.at > this.bytes.length) throw new CorruptBatch('length');
    return this.bytes.subarray(from, this.at);
  }
}

/** The messages of a batch; `most` bytes may come out of it. */
export const messagesOf = ({ base, bytes }: Batch, most: number): Message[] => {
  const attributes = bytes.readInt16BE(layout.attributes);
  const packed = bytes.subarray(layout.messages);
  const body = decompress(packed, attributes & compressionBits, most);
  const first = int64At(bytes, layout.firstTimestamp);
  const appended = attributes & appendTimeBit ? int64At(bytes, layout.lastTimestamp) : undefined;
  const count = bytes.readInt32BE(layout.count);
  const cursor = new Cursor(body);
  const messages: Message[] = [];
  for (let index = 0; index < count; index += 1) {
    const length = cursor.number();
    const end = cursor.at + length;
    // Attributes, of which none is in use.
    cursor.at += 1;
    const timestamp = appended ?? first + cursor.number();
    const offset = base + cursor.number();
    messages.push({ offset, timestamp, key: cursor.part(), value: cursor.part() });
    // Headers are left aside.
    cursor.at = end;
  }
  return messages;
};

/** Whether the transaction whose end a control batch says was given up. */
export const isAbort = (batch: Batch, most: number): boolean => {
  const key = messagesOf(batch, most)[0]?.key;
  return key !== null && key !== undefined && key.length >= 4 && key.readInt16BE(2) === 0;
};
