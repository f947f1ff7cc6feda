import { Type } from '@sinclair/typebox';
import { invalid } from '../../core/errors.js';

/** On the way out: always UTC, always milliseconds, `2026-11-21T03:11:21.123Z`. */
export const timestamp = Type.String({ format: 'date-time' });

/** On the way in: any offset, none (UTC), or a date alone (that UTC day). */
export const timestampInput = Type.String({
  format: 'timestamp-input',
  maxLength: 40,
  description: 'ISO 8601; without an offset it is UTC, a date alone is that whole UTC day.',
});

export const showTimestamp = (date: Date): string => date.toISOString();

export const showTimestampOrNull = (date: Date | null): string | null =>
  date === null ? null : date.toISOString();

/** From `from` up to, but not including, `before`. */
export interface Span {
  from: Date;
  before: Date;
}

const dayMs = 86_400_000;
const form =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(Z|[+-]\d{2}(?::?\d{2})?)?)?$/i;

const offsetMinutes = (text: string | undefined): number | undefined => {
  if (text === undefined || text.toUpperCase() === 'Z') return 0;
  const hours = Number(text.slice(1, 3));
  const minutes = Number(text.slice(3).replace(':', '') || '0');
  if (hours > 23 || minutes > 59) return undefined;
  return (text.startsWith('-') ? -1 : 1) * (hours * 60 + minutes);
};

/** What a text covers: a whole day, or one millisecond. Undefined when it is no timestamp. */
export const readSpan = (text: string): Span | undefined => {
  const match = form.exec(text);
  if (!match) return undefined;
  const [, year, month, day, hour, minute, second = '0', fraction = '', zone] = match;
  const offset = offsetMinutes(zone);
  if (offset === undefined) return undefined;
  const wall = new Date(0);
  wall.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  const inCalendar =
    wall.getUTCMonth() === Number(month) - 1 &&
    wall.getUTCDate() === Number(day) &&
    Number(year) > 0;
  if (!inCalendar) return undefined;
  if (hour === undefined) return { from: wall, before: new Date(wall.getTime() + dayMs) };
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return undefined;
  wall.setUTCHours(
    Number(hour),
    Number(minute),
    Number(second),
    Number(fraction.padEnd(3, '0').slice(0, 3)),
  );
  const from = new Date(wall.getTime() - offset * 60_000);
  const exact = from.getUTCFullYear() > 0 && from.getUTCFullYear() < 10_000;
  return exact ? { from, before: new Date(from.getTime() + 1) } : undefined;
};

const spanAt = (text: string, pointer: string): Span => {
  const span = readSpan(text);
  if (!span)
    throw invalid(pointer, 'Not a timestamp: write 2026-11-21T03:11:21Z or 2026-11-21.', 'format');
  return span;
};

/** One moment; a date alone is the start of that UTC day. */
export const parseTimestamp = (text: string, pointer: string): Date => spanAt(text, pointer).from;

/** An inclusive upper bound, as the moment before which things still count. */
export const parseUntil = (text: string, pointer: string): Date => spanAt(text, pointer).before;

/** `a..b`, both sides inclusive, either may be absent. */
export const parseDateRange = (text: string, pointer: string): Partial<Span> => {
  const sides = text.split('..');
  const [first = '', last = ''] = sides;
  if (sides.length !== 2 || (first === '' && last === '')) {
    throw invalid(pointer, 'A range is two dates or timestamps joined by "..".', 'format');
  }
  const range: Partial<Span> = {
    ...(first === '' ? {} : { from: parseTimestamp(first, pointer) }),
    ...(last === '' ? {} : { before: parseUntil(last, pointer) }),
  };
  refuseEmptySpan(range, pointer);
  return range;
};

/** A range that ends before it starts is a mistake, not an empty list. */
export const refuseEmptySpan = ({ from, before }: Partial<Span>, pointer: string): void => {
  if (from && before && from >= before) {
    throw invalid(pointer, 'The range ends before it starts.', 'range');
  }
};
