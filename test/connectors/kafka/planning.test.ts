import fc from 'fast-check';
import { millisecondsOf } from '../../../connectors/kafka/bounds.js';
import { cutParts } from '../../../connectors/kafka/cut.js';
import { partitionOf } from '../../../connectors/kafka/partitioner.js';

const part = fc
  .record({ from: fc.nat(1000), length: fc.integer({ min: 1, max: 60 }) })
  .map(({ from, length }) => ({ from, to: from + length }));

test('ranges are all of the parts, in order, none larger than wanted', () => {
  fc.assert(
    fc.property(
      fc.array(part, { maxLength: 20 }),
      fc.integer({ min: 1, max: 50 }),
      (found, size) => {
        const parts = found.map((each, partition) => ({ partition, ...each }));
        const ranges = cutParts(parts, size);
        const all = (list: typeof parts) =>
          list.flatMap(({ partition, from, to }) =>
            Array.from({ length: to - from }, (_, index) => `${partition}/${from + index}`),
          );
        expect(all(ranges.flat())).toEqual(all(parts));
        for (const range of ranges) {
          expect(all(range).length).toBeLessThanOrEqual(Math.max(size, 2));
          expect(range.length).toBeGreaterThan(0);
        }
      },
    ),
  );
  expect(cutParts([{ partition: 0, from: 0, to: 1e9 }], 1).length).toBeLessThanOrEqual(5_000);
});

test('a moment is the first whole millisecond that is not before it', () => {
  const base = Date.parse('2026-11-21T00:00:00Z');
  expect(millisecondsOf('2026-11-21T00:00:00Z')).toBe(base);
  expect(millisecondsOf('2026-11-21 01:00:00.5+01:00')).toBe(base + 500);
  expect(millisecondsOf('2026-11-21T00:00:00.000000001Z')).toBe(base + 1);
  expect(millisecondsOf('2026-11-21T00:00:00.123Z')).toBe(base + 123);
});

/** As org.apache.kafka.common.utils.Utils.murmur2 has it (UtilsTest). */
test.each([
  ['21', -973932308],
  ['foobar', -790332482],
  ['a-little-bit-long-string', -985981536],
  ['a-little-bit-longer-string', -1486304829],
  ['lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8', -58897971],
  ['abc', 479470107],
])('%s goes where Java sends it', (key, hash) => {
  for (const partitions of [1, 7, 1000]) {
    expect(partitionOf(Buffer.from(key), partitions)).toBe((hash & 0x7fffffff) % partitions);
  }
});
