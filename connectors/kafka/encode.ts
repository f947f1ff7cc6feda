import { crc32c } from '@platformatic/kafka';
import { layout } from './batches.js';

export interface Outgoing {
  key: Buffer | null;
  value: Buffer;
  /** By which a receiver knows it again. */
  id: Buffer;
}

/** Who sends, so that what is sent again is taken once. */
export interface Producer {
  id: bigint;
  epoch: number;
}

const magic = 2;
const idHeader = Buffer.from('fluxline-id');

/** Whole numbers that are not negative: they come out twice as large, for want of a sign. */
const lengthOfNumber = (number: number): number => {
  let length = 1;
  for (let left = number * 2; left >= 128; left = Math.floor(left / 128)) length += 1;
  return length;
};

const none = -1;
const byteOfNone = 1;

class Writer {
  at = layout.messages as number;

  constructor(readonly bytes: Buffer) {}

  number(number: number): void {
    if (number === none) {
      this.bytes[this.at++] = byteOfNone;
      return;
    }
    let left = number * 2;
    for (; left >= 128; left = Math.floor(left / 128)) {
      this.bytes[this.at++] = (left % 128) | 0x80;
    }
    this.bytes[this.at++] = left;
  }

  part(part: Buffer | null): void {
    this.number(part === null ? none : part.length);
    if (part) this.at += part.copy(this.bytes, this.at);
  }
}

const lengthOfPart = (part: Buffer | null): number =>
  part === null ? 1 : lengthOfNumber(part.length) + part.length;

/** Attributes, no time beside that of the batch, and one header. */
const lengthOfMessage = ({ key, value, id }: Outgoing, index: number): number =>
  1 +
  1 +
  lengthOfNumber(index) +
  lengthOfPart(key) +
  lengthOfPart(value) +
  1 +
  lengthOfPart(idHeader) +
  lengthOfPart(id);

/** About how much of a batch a message is. */
export const sizeOf = (message: Outgoing): number => lengthOfMessage(message, 0) + 8;

/** One batch of messages, as brokers keep it. */
export const encodeBatch = (
  messages: readonly Outgoing[],
  { id, epoch }: Producer,
  sequence: number,
  now: number,
): Buffer => {
  const lengths = messages.map(lengthOfMessage);
  const body = lengths.reduce((sum, length) => sum + lengthOfNumber(length) + length, 0);
  const bytes = Buffer.alloc(layout.messages + body);
  bytes.writeInt32BE(bytes.length - layout.leaderEpoch, layout.length);
  bytes.writeInt32BE(-1, layout.leaderEpoch);
  bytes[layout.magic] = magic;
  bytes.writeInt32BE(messages.length - 1, layout.lastOffsetDelta);
  bytes.writeBigInt64BE(BigInt(now), layout.firstTimestamp);
  bytes.writeBigInt64BE(BigInt(now), layout.lastTimestamp);
  bytes.writeBigInt64BE(id, layout.producerId);
  bytes.writeInt16BE(epoch, layout.producerEpoch);
  bytes.writeInt32BE(sequence, layout.sequence);
  bytes.writeInt32BE(messages.length, layout.count);
  const writer = new Writer(bytes);
  for (const [index, message] of messages.entries()) {
    writer.number(lengths[index] ?? 0);
    writer.number(0);
    writer.number(0);
    writer.number(index);
    writer.part(message.key);
    writer.part(message.value);
    writer.number(1);
    writer.part(idHeader);
    writer.part(message.id);
  }
  bytes.writeUInt32BE(crc32c(bytes.subarray(layout.attributes)), layout.crc);
  return bytes;
};
