import fc from 'fast-check';
import { dayMs, dayText, momentText } from '../../../core/generate/moments.js';

const first = Date.parse('0001-01-01T00:00:00.000Z');
const last = Date.parse('9999-12-31T23:59:59.999Z');

it('writes any moment as Date does', () => {
  fc.assert(
    fc.property(fc.integer({ min: first, max: last }), (ms) => {
      expect(momentText(ms)).toBe(new Date(ms).toISOString());
    }),
    { numRuns: 2_000 },
  );
});

it('writes every day of four centuries as Date does', () => {
  const from = Date.parse('1599-12-01') / dayMs;
  const wrong: string[] = [];
  for (let day = from; day < from + 146_500; day++) {
    if (dayText(day) !== new Date(day * dayMs).toISOString().slice(0, 10)) wrong.push(dayText(day));
  }
  expect(wrong).toEqual([]);
});

it.each([first, last, 0, -1, Date.parse('2000-02-29'), Date.parse('1900-03-01')])(
  'writes the edge %d',
  (ms) => {
    expect(momentText(ms)).toBe(new Date(ms).toISOString());
  },
);
