import fc from 'fast-check';
import { batchesIn, messagesOf } from '../../../connectors/kafka/batches.js';
import { CorruptBatch } from '../../../connectors/kafka/decompress.js';
import { encodeBatch } from '../../../connectors/kafka/encode.js';
import type { Outgoing } from '../../../connectors/kafka/encode.js';

const most = 1024 * 1024;
const producer = { id: 77n, epoch: 3 };
const bytes = fc.uint8Array({ maxLength: 200 }).map((part) => Buffer.from(part));
const outgoing = fc.record({
  key: fc.option(bytes, { nil: null }),
  value: bytes,
  id: bytes,
});

const encoded = (messages: readonly Outgoing[], sequence = 0): Buffer =>
  encodeBatch(messages, producer, sequence, 1_700_000_000_123);

const some: Outgoing[] = [
  { key: Buffer.from('k'), value: Buffer.from('{"n":1}'), id: Buffer.from('a') },
  { key: null, value: Buffer.alloc(70_000, 0x20), id: Buffer.from('b') },
];

test('what is written is read', () => {
  fc.assert(
    fc.property(fc.array(outgoing, { minLength: 1, maxLength: 200 }), (messages) => {
      const [batch, ...others] = batchesIn(encoded(messages));
      if (!batch) throw new Error('no batch');
      expect(others).toEqual([]);
      expect(batch).toMatchObject({ base: 0, next: messages.length, producerId: 77n });
      expect(messagesOf(batch, most)).toEqual(
        messages.map(({ key, value }, offset) => ({
          offset,
          timestamp: 1_700_000_000_123,
          key,
          value,
        })),
      );
    }),
    { numRuns: 50 },
  );
});

test('a batch that is cut off is left for the next time', () => {
  const whole = encoded(some);
  const two = Buffer.concat([whole, whole]);
  expect(batchesIn(two)).toHaveLength(2);
  for (const length of [whole.length, whole.length + 5, whole.length + 61, two.length - 1]) {
    expect(batchesIn(two.subarray(0, length))).toHaveLength(1);
  }
  expect(batchesIn(Buffer.alloc(0))).toEqual([]);
});

test('a byte that is not what it was is noticed', () => {
  const whole = encoded(some);
  for (const at of [16, 17, 30, 61, whole.length - 1]) {
    const damaged = Buffer.from(whole);
    damaged[at] = (damaged[at] ?? 0) ^ 1;
    expect(() => batchesIn(damaged)).toThrow(CorruptBatch);
  }
});
