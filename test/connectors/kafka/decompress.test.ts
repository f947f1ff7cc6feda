import { gzipSync } from 'node:zlib';
import { compressionsAlgorithms } from '@platformatic/kafka';
import { CorruptBatch, decompress } from '../../../connectors/kafka/decompress.js';
import { RunFailure } from '../../../core/failures.js';

const text = Buffer.from('kafka '.repeat(50_000));
const { snappy, lz4 } = compressionsAlgorithms;
const methods = [
  ['gzip', 1, gzipSync(text)],
  ['snappy', 2, snappy.compressSync(text)],
  ['lz4', 3, lz4.compressSync(text)],
] as const;

test.each(methods)('%s: unpacked up to a limit', (_name, method, packed) => {
  expect(decompress(packed, method, 8_000_000).equals(text)).toBe(true);
  expect(() => decompress(packed, method, 1_000)).toThrow(RunFailure);
  expect(() => decompress(packed, method, 1_000)).toThrow(/more than 1000 bytes/);
});

test.each(methods)('%s: what is none is refused', (_name, method) => {
  for (const bytes of [Buffer.from('nothing of the kind'), Buffer.alloc(40, 255)]) {
    expect(() => decompress(bytes, method, 100_000)).toThrow(CorruptBatch);
  }
});

test('a method that nobody knows', () => {
  expect(() => decompress(text, 7, 1e9)).toThrow(CorruptBatch);
});
