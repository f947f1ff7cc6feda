import fc from 'fast-check';
import { askedPauseMs, makePace, pauseAfter } from '../../../connectors/http/pauses.js';

const now = Date.UTC(2026, 10, 21, 3, 0, 0);

it.each([
  [undefined, undefined],
  ['0', 0],
  [' 7 ', 7_000],
  ['1.5', 1_500],
  ['Sat, 21 Nov 2026 03:01:00 GMT', 60_000],
  ['Sat, 21 Nov 2026 02:00:00 GMT', 0],
  ['soon', undefined],
  ['-1', undefined],
])('reads Retry-After %j', (header, expected) => {
  expect(askedPauseMs(header, now)).toBe(expected);
});

it('waits longer from time to time, not for ever, and never less than it is asked to', () => {
  const random = fc.double({ min: 0, max: 1, noNaN: true });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 20 }), random, (attempt, chance) => {
      const pause = pauseAfter(attempt, undefined, chance);
      expect(pause).toBeGreaterThan(0);
      expect(pause).toBeLessThanOrEqual(30_000);
      expect(pauseAfter(attempt + 1, undefined, 0)).toBeGreaterThanOrEqual(
        pauseAfter(attempt, undefined, 0),
      );
      const asked = pauseAfter(attempt, 12_000, chance);
      expect(asked).toBeGreaterThanOrEqual(12_000);
      expect(asked).toBeLessThanOrEqual(12_500);
    }),
  );
});

describe('a pace', () => {
  it('lets no more pass in any second than it may', () => {
    const gaps = fc.array(fc.integer({ min: 0, max: 400 }), { minLength: 2, maxLength: 60 });
    fc.assert(
      fc.property(gaps, fc.integer({ min: 1, max: 20 }), (between, perSecond) => {
        const pace = makePace(perSecond);
        let clock = 1_000;
        const passed = between.map((gap) => {
          clock += gap;
          return clock + pace(clock);
        });
        for (const [index, at] of passed.entries()) {
          const within = passed.slice(index).filter((other) => other < at + 999);
          expect(within.length).toBeLessThanOrEqual(perSecond);
        }
      }),
    );
  });

  it('is not kept where none is given', () => {
    const pace = makePace(undefined);
    expect([pace(0), pace(0), pace(0)]).toEqual([0, 0, 0]);
  });
});
