import { isCalendarDay, isTimeOfDay, isUtcOffset } from '../../core/calendar.js';

it.each(['2024-02-29', '2026-12-31', '0001-01-01', '9999-12-31', '2026-01-01T00:00'])(
  '%s is a day',
  (text) => {
    expect(isCalendarDay(text)).toBe(true);
  },
);

it.each(['2026-02-29', '2026-02-31', '2026-13-01', '2026-00-10', '2026-04-31', '0000-01-01'])(
  '%s is none',
  (text) => {
    expect(isCalendarDay(text)).toBe(false);
  },
);

it.each([
  ['23:59', true],
  ['23:59:59.999999', true],
  ['24:00', false],
  ['12:60', false],
  ['12:00:60', false],
])('%s is a time of day: %s', (text, expected) => {
  expect(isTimeOfDay(text)).toBe(expected);
});

it.each([
  ['Z', true],
  ['+05', true],
  ['-0330', true],
  ['+15:59', true],
  ['+16:00', false],
  ['+05:60', false],
  ['', false],
])('"%s" is an offset: %s', (text, expected) => {
  expect(isUtcOffset(text)).toBe(expected);
});
