import fc from 'fast-check';
import { toUnits } from '../../../core/generate/units.js';

it.each([
  [0.29, 2, 'down', 29],
  [1.1, 2, 'up', 110],
  [0.1, 2, 'up', 10],
  [-0.29, 2, 'up', -29],
  [-1.1, 2, 'down', -110],
  [1.005, 2, 'up', 101],
  [1.005, 2, 'down', 100],
  [-1.005, 2, 'up', -100],
  [-1.005, 2, 'down', -101],
  [1e-7, 2, 'up', 1],
  [1e-7, 2, 'down', 0],
  [-1e-7, 2, 'up', 0],
  [1e-7, 7, 'up', 1],
  [1.5e20, 0, 'up', 1.5e20],
  [999, 0, 'up', 999],
  [0, 5, 'down', 0],
] as const)('%d with %d places, rounded %s, is %d units', (value, scale, towards, units) => {
  expect(toUnits(value, scale, towards)).toBe(units);
});

it('finds every decimal of up to 15 digits where it is', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: -999_999_999_999_999, max: 999_999_999_999_999 }),
      fc.integer({ min: 0, max: 6 }),
      (units, scale) => {
        const value = Number(`${units}e-${scale}`);
        expect(toUnits(value, scale, 'up')).toBe(units);
        expect(toUnits(value, scale, 'down')).toBe(units);
      },
    ),
  );
});

it('rounds inwards', () => {
  fc.assert(
    fc.property(
      fc.double({ min: -1e6, max: 1e6, noNaN: true }),
      fc.integer({ min: 0, max: 4 }),
      (value, scale) => {
        const low = toUnits(value, scale, 'down');
        const high = toUnits(value, scale, 'up');
        expect(high - low === 0 || high - low === 1).toBe(true);
        expect(low / 10 ** scale).toBeLessThanOrEqual(value);
        expect(high / 10 ** scale).toBeGreaterThanOrEqual(value);
      },
    ),
  );
});
