import fc from 'fast-check';
import { isOdd } from '../../../engine/csv/quoteParity.js';

const quote = 34;

it('counts as one byte at a time would, wherever the bytes lie', () => {
  const byte = fc.oneof(fc.constant(quote), fc.constant(162), fc.integer({ min: 0, max: 255 }));
  fc.assert(
    fc.property(fc.array(byte, { maxLength: 70 }), fc.nat(7), (bytes, offset) => {
      const all = Buffer.from([...new Array<number>(offset).fill(quote), ...bytes]);
      const expected = bytes.filter((one) => one === quote).length % 2 === 1;
      expect(isOdd(all.subarray(offset), quote)).toBe(expected);
    }),
    { numRuns: 2_000 },
  );
});
