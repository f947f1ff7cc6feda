import { lookedBack } from '../../core/lookback.js';

test.each([
  ['bigint', '100', 10, '90'],
  ['bigint', '9223372036854775807', 1.5, '9223372036854775805'],
  ['integer', '5', 10, '-5'],
  ['numeric', '2.5', 1, '1.5'],
  ['date', '2026-03-01', 'P1D', '2026-02-28'],
  ['date', '2026-03-31', 'P1M', '2026-02-28'],
  ['timestamp', '2026-01-01 00:00:00.123456', 'PT10M', '2025-12-31 23:50:00.000'],
  ['timestamptz', '2026-01-01 00:00:00.123456+00', 'PT10M', '2025-12-31 23:50:00.000+00'],
  ['timestamptz', 'infinity', 'PT10M', 'infinity'],
] as const)('%s %s looks back %s to %s', (kind, value, lookback, wanted) => {
  expect(lookedBack(value, { kind }, lookback)).toBe(wanted);
});

test.each([
  ['text', 'x', 1],
  ['text', 'x', 'PT1M'],
  ['bigint', '1', 'PT1M'],
  ['timestamp', '2026-01-01 00:00:00', 5],
  ['timestamp', '0044-03-15 00:00:00 BC', 'PT1M'],
] as const)('%s %s cannot look back %s', (kind, value, lookback) => {
  expect(lookedBack(value, { kind }, lookback)).toBeUndefined();
});
