import fc from 'fast-check';
import { splitRows } from '../../core/splitRows.js';

const sizes = {
  rows: fc.integer({ min: 0, max: 1e12 }),
  bytesPerRow: fc.double({ min: 0, max: 1e9, noNaN: true }),
};

it('covers every row once, in order, without an empty range', () => {
  fc.assert(
    fc.property(sizes.rows, sizes.bytesPerRow, (rows, bytesPerRow) => {
      const splits = splitRows(rows, bytesPerRow);
      expect(splits[0]?.from).toBe(0);
      expect(splits.at(-1)?.to).toBe(rows);
      expect(splits.length).toBeLessThanOrEqual(100_000);
      // Counted rather than expected one by one: there may be many.
      const gaps = splits.filter(({ from }, at) => at > 0 && from !== splits[at - 1]?.to);
      const empty = splits.filter(({ from, to }) => from >= to);
      expect([gaps.length, empty.length]).toEqual([0, rows === 0 ? 1 : 0]);
    }),
    { numRuns: 50 },
  );
});

it('makes splits of about the target size', () => {
  const MiB = 1024 * 1024;
  expect(splitRows(MiB, 100)).toHaveLength(2);
  expect(splitRows(1_000, 1_000, 10_000)).toHaveLength(100);
  expect(splitRows(1_000, 1, 64 * MiB, 300).map(({ to }) => to)).toEqual([300, 600, 900, 1000]);
});

it('gives a row that is larger than the target a split of its own', () => {
  expect(splitRows(3, 1e9)).toEqual([
    { from: 0, to: 1 },
    { from: 1, to: 2 },
    { from: 2, to: 3 },
  ]);
});

it('makes one empty split of no rows', () => {
  expect(splitRows(0, 0)).toEqual([{ from: 0, to: 0 }]);
});
