import fc from 'fast-check';
import {
  parseDateRange,
  parseTimestamp,
  parseUntil,
  readSpan,
  showTimestamp,
} from '../../api/schemas/timestamp.js';

const from = (text: string): string | undefined => readSpan(text)?.from.toISOString();
const before = (text: string): string | undefined => readSpan(text)?.before.toISOString();

describe('in', () => {
  test.each([
    ['2026-11-21T03:11:21.123Z', '2026-11-21T03:11:21.123Z'],
    ['2026-11-21T03:11:21Z', '2026-11-21T03:11:21.000Z'],
    ['2026-11-21T03:11Z', '2026-11-21T03:11:00.000Z'],
    ['2026-11-21T03:11:21', '2026-11-21T03:11:21.000Z'],
    ['2026-11-21 03:11:21+02', '2026-11-21T01:11:21.000Z'],
    ['2026-11-21T03:11:21+0530', '2026-11-20T21:41:21.000Z'],
    ['2026-11-21t23:11:21-08:00', '2026-11-22T07:11:21.000Z'],
    ['2026-11-21T03:11:21.123999999z', '2026-11-21T03:11:21.123Z'],
    ['2026-11-21T03:11:21,5Z', '2026-11-21T03:11:21.500Z'],
    ['2024-02-29', '2024-02-29T00:00:00.000Z'],
    ['0001-01-01', '0001-01-01T00:00:00.000Z'],
  ])('%s is %s', (text, expected) => {
    expect(from(text)).toBe(expected);
  });

  test.each([
    '',
    'yesterday',
    '2026-13-01',
    '2026-02-29',
    '2026-11-31',
    '2026-1-1',
    '2026-11-21T24:00:00Z',
    '2026-11-21T03:60:00Z',
    '2026-11-21T03:11:60Z',
    '2026-11-21T03:11:21+24:00',
    '2026-11-21T03:11:21 Europe/Berlin',
    '2026-11-21T03Z',
    '2026-11-21Z',
    '1763694681',
    '0000-01-01',
    '0001-01-01T00:00:00+01:00',
    '9999-12-31T23:59:59-01:00',
    '2026-11-21T03:11:21Z\n',
  ])('%p is none', (text) => {
    expect(from(text)).toBeUndefined();
    expect(() => parseTimestamp(text, '/since')).toThrow(/timestamp/);
  });

  test('a date is its whole day, a moment its millisecond', () => {
    expect(before('2026-11-21')).toBe('2026-11-22T00:00:00.000Z');
    expect(before('2026-11-21T00:00:00Z')).toBe('2026-11-21T00:00:00.001Z');
    expect(parseUntil('2026-11-21', '/until').toISOString()).toBe('2026-11-22T00:00:00.000Z');
  });

  test('what we show is what we read', () => {
    const moments = fc.date({
      min: new Date('0001-01-02'),
      max: new Date('9999-12-30'),
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(moments, (date) => {
        expect(parseTimestamp(showTimestamp(date), '/x')).toEqual(date);
      }),
    );
  });
});

describe('ranges', () => {
  const range = (text: string) => parseDateRange(text, '/dateRange');

  test('both sides are inclusive, either may be open', () => {
    expect(range('2026-11-01..2026-11-01')).toEqual({
      from: new Date('2026-11-01'),
      before: new Date('2026-11-02'),
    });
    expect(range('2026-11-01..')).toEqual({ from: new Date('2026-11-01') });
    expect(range('..2026-11-01T12:00:00Z')).toEqual({
      before: new Date('2026-11-01T12:00:00.001Z'),
    });
  });

  test.each(['', '..', '2026-11-01', '2026-11-01...2026-11-02', 'a..b', '2026-11-02..2026-11-01'])(
    '%p is none',
    (text) => {
      expect(() => range(text)).toThrow(
        expect.objectContaining({ code: 'validation_failed' }) as Error,
      );
    },
  );
});
