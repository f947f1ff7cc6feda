import { gunzipSync } from 'node:zlib';
import { compressionsAlgorithms } from '@platformatic/kafka';
import { RunFailure } from '../../core/failures.js';

/** What is said in a batch cannot be true. */
export class CorruptBatch extends Error {
  override readonly name = 'CorruptBatch';
}

const withoutZstd = (): RunFailure =>
  new RunFailure({
    code: 'config_invalid',
    class: 'config',
    message:
      'Messages are compressed with zstd, which this version of Node.js cannot read: run the workers with Node.js 22.15 or newer, or let the producers use another compression.',
  });

export const tooLarge = (most: number): RunFailure =>
  new RunFailure({
    code: 'row_too_large',
    class: 'config',
    message: `A batch of messages has more than ${most} bytes when it is unpacked: raise FLX_MAX_ROW_BYTES, or let the producers send smaller batches.`,
  });

/** How long a raw block of snappy is when it is unpacked; it says so itself. */
const snappyLength = (block: Buffer): number => {
  let length = 0;
  for (let at = 0; at < 5; at += 1) {
    const byte = block[at];
    if (byte === undefined) break;
    length += (byte & 0x7f) * 2 ** (7 * at);
    if (byte < 0x80) return length;
  }
  throw new CorruptBatch('snappy');
};

/** Java's clients put blocks behind this, each behind its length. */
const javaSnappy = Buffer.from('\x82SNAPPY\0', 'latin1');
const javaSnappyHeader = 16;

const snappyBlocks = (packed: Buffer): Buffer[] => {
  if (!packed.subarray(0, javaSnappy.length).equals(javaSnappy)) return [packed];
  const blocks: Buffer[] = [];
  for (let at = javaSnappyHeader; at < packed.length;) {
    if (at + 4 > packed.length) throw new CorruptBatch('snappy');
    const end = at + 4 + packed.readInt32BE(at);
    if (end <= at || end > packed.length) throw new CorruptBatch('snappy');
    blocks.push(packed.subarray(at + 4, end));
    at = end;
  }
  return blocks;
};

const unsnap = (packed: Buffer, most: number): Buffer => {
  const blocks = snappyBlocks(packed);
  const total = blocks.reduce((sum, block) => sum + snappyLength(block), 0);
  if (total > most) throw tooLarge(most);
  return Buffer.concat(blocks.map((block) => compressionsAlgorithms.snappy.decompressSync(block)));
};

const lz4Start = Buffer.from('04224d18', 'hex');
const lz4Flags = { blockSums: 0x10, contentSize: 0x08, dictionary: 0x01 };

/** No more comes out of a frame of lz4: each of its blocks has a largest size. */
const mostOfLz4 = (packed: Buffer): number => {
  if (!packed.subarray(0, lz4Start.length).equals(lz4Start)) throw new CorruptBatch('lz4');
  const [flags = 0, sizes = 0] = packed.subarray(4, 6);
  const blockBytes = 2 ** (8 + 2 * ((sizes >> 4) & 7));
  const between = flags & lz4Flags.blockSums ? 4 : 0;
  let at = 7 + (flags & lz4Flags.contentSize ? 8 : 0) + (flags & lz4Flags.dictionary ? 4 : 0);
  let total = 0;
  while (at + 4 <= packed.length) {
    const size = packed.readUInt32LE(at) & 0x7fffffff;
    if (size === 0) break;
    total += blockBytes;
    at += 4 + size + between;
  }
  return total;
};

const unlz4 = (packed: Buffer, most: number): Buffer => {
  if (mostOfLz4(packed) > most) throw tooLarge(most);
  return compressionsAlgorithms.lz4.decompressSync(packed);
};

const gunzip = (packed: Buffer, most: number): Buffer => {
  try {
    return gunzipSync(packed, { maxOutputLength: most });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(most);
    throw error;
  }
};

const unzstd = (packed: Buffer, most: number): Buffer => {
  const { zstd } = compressionsAlgorithms;
  if (!zstd.available) throw withoutZstd();
  const bytes = zstd.decompressSync(packed);
  if (bytes.length > most) throw tooLarge(most);
  return bytes;
};

const none = (bytes: Buffer): Buffer => bytes;
const methods = [none, gunzip, unsnap, unlz4, unzstd];

/** `method`: its number in the protocol. At most `most` bytes come out. */
export const decompress = (packed: Buffer, method: number, most: number): Buffer => {
  const unpack = methods[method];
  if (!unpack) throw new CorruptBatch(`compression ${method}`);
  try {
    return unpack(packed, most);
  } catch (error) {
    if (error instanceof RunFailure || error instanceof CorruptBatch) throw error;
    throw new CorruptBatch('compression', { cause: error });
  }
};
