import fc from 'fast-check';
import { intervalText, isDuration } from '../../../core/generate/interval.js';

it.each([
  ['P1Y2M3W4DT5H6M7.5S', '14 months 25 days 18367.500000 seconds'],
  ['PT36H', '0 months 0 days 129600.000000 seconds'],
  ['P-1M', '-1 months 0 days 0.000000 seconds'],
  ['P1DT-2H', '0 months 1 days -7200.000000 seconds'],
  ['PT-0.5S', '0 months 0 days -0.500000 seconds'],
  ['PT1M-30S', '0 months 0 days 30.000000 seconds'],
  ['PT0.000001S', '0 months 0 days 0.000001 seconds'],
  ['P0D', '0 months 0 days 0.000000 seconds'],
  ['P-0D', '0 months 0 days 0.000000 seconds'],
  ['P2147483647D', '0 months 2147483647 days 0.000000 seconds'],
  ['PT2501999H', '0 months 0 days 9007196400.000000 seconds'],
])('%s is %s', (duration, text) => {
  expect(intervalText(duration)).toBe(text);
});

it.each([
  '',
  'P',
  'PT',
  'P1DT',
  '1D',
  'P1H',
  'PT1D',
  'P1.5D',
  'PT1.5H',
  'P1D2M',
  'PT0.0000001S',
  '-P1D',
  'p1d',
  ' P1D',
  'P1D\n',
  'P2147483648D',
  'P178956971Y',
  'PT2502001H',
  '1 day',
])('%j is no duration', (text) => {
  expect(intervalText(text)).toBeUndefined();
  expect(isDuration(text)).toBe(false);
});

it('adds fields up to what they are, exactly', () => {
  const field = fc.integer({ min: -1_000_000, max: 1_000_000 });
  fc.assert(
    fc.property(fc.tuple(field, field, field, field, field, field, field), (fields) => {
      const [years, months, weeks, days, hours, minutes, seconds] = fields;
      const text = intervalText(
        `P${years}Y${months}M${weeks}W${days}DT${hours}H${minutes}M${seconds}S`,
      );
      const total = hours * 3_600 + minutes * 60 + seconds;
      expect(text).toBe(
        `${years * 12 + months} months ${weeks * 7 + days} days ${total}.000000 seconds`,
      );
    }),
  );
});
