import type { DataType } from '../../core/dataTypes.js';

/**
 * What texts look like. A type is only inferred where the text is what the type would be written
 * as: `007` and `1,5` stay text, for nothing of them may be lost.
 */
export const valueKinds = [
  'empty',
  'boolean',
  'bigint',
  'wide',
  'numeric',
  'double',
  'date',
  'timestamp',
  'timestamptz',
  'time',
  'uuid',
  'json',
  'text',
] as const;
export type ValueKind = (typeof valueKinds)[number];

/** In this order; the first that matches is tried. RE2 and JavaScript read them alike. */
export const patterns = {
  boolean: '(true|false|TRUE|FALSE|True|False)',
  integer: '(0|-?[1-9][0-9]{0,37})',
  numeric: '-?(0|[1-9][0-9]{0,99})\\.[0-9]{1,100}',
  double: '(-?(0|[1-9][0-9]{0,99})(\\.[0-9]{1,100})?[eE][+-]?[0-9]{1,3}|NaN)',
  date: '[0-9]{4}-[0-9]{2}-[0-9]{2}',
  timestamp: '[0-9]{4}-[0-9]{2}-[0-9]{2}[ T][0-9]{2}:[0-9]{2}(:[0-9]{2}(\\.[0-9]{1,6})?)?',
  zone: '(Z|[+-][0-9]{2}(:?[0-9]{2})?)',
  time: '[0-9]{2}:[0-9]{2}:[0-9]{2}(\\.[0-9]{1,6})?',
  uuid: '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}',
} as const;

const whole = (pattern: string): RegExp => new RegExp(`^(?:${pattern})$`);
const boolean = whole(patterns.boolean);
const integer = whole(patterns.integer);
const numeric = whole(patterns.numeric);
const double = whole(patterns.double);
const date = whole(patterns.date);
const timestamp = whole(patterns.timestamp);
const timestamptz = whole(`${patterns.timestamp}${patterns.zone}`);
const time = whole(patterns.time);
const uuid = whole(patterns.uuid);

const smallest = -(2n ** 63n);
const largest = 2n ** 63n - 1n;

const isDay = (text: string): boolean => {
  const day = text.slice(0, 10);
  const moment = new Date(`${day}T00:00:00Z`);
  if (Number.isNaN(moment.getTime()) || day.startsWith('0000')) return false;
  return moment.toISOString().startsWith(day);
};

/** Hours to 23, minutes and seconds to 59. */
const isClock = (text: string): boolean => /^([01]\d|2[0-3]):[0-5]\d(:[0-5]\d|$)/.test(text);

const kindOfNumber = (text: string): ValueKind => {
  if (!integer.test(text)) return numeric.test(text) ? 'numeric' : 'text';
  if (text.length < 19) return 'bigint';
  const value = BigInt(text);
  return value >= smallest && value <= largest ? 'bigint' : 'wide';
};

const kindOfMoment = (text: string): ValueKind => {
  if (date.test(text)) return isDay(text) ? 'date' : 'text';
  const zoned = timestamptz.test(text);
  if (!zoned && !timestamp.test(text)) return 'text';
  const clock = text.slice(11).replace(/(Z|[+-][\d:]+)$/, '');
  if (!isDay(text) || !isClock(clock)) return 'text';
  return zoned ? 'timestamptz' : 'timestamp';
};

export const kindOfText = (text: string): ValueKind => {
  if (text === '') return 'empty';
  if (text.length > 210) return 'text';
  const number = kindOfNumber(text);
  if (number !== 'text') return number;
  if (double.test(text)) return 'double';
  if (boolean.test(text)) return 'boolean';
  if (uuid.test(text)) return 'uuid';
  if (time.test(text)) return isClock(text) ? 'time' : 'text';
  return kindOfMoment(text);
};

const numbers: readonly ValueKind[] = ['bigint', 'wide', 'numeric', 'double'];

/** A kind that holds values of both: the wider number, a date as its midnight, else text. */
export const widerKind = (one: ValueKind, other: ValueKind): ValueKind => {
  if (one === other || other === 'empty') return one;
  if (one === 'empty') return other;
  // A column of JSON values holds any value of JSON.
  if (one === 'json' || other === 'json') return 'json';
  const [first, second] = [numbers.indexOf(one), numbers.indexOf(other)];
  if (first >= 0 && second >= 0) return first > second ? one : other;
  const moments = [one, other].sort().join(' ');
  return moments === 'date timestamp' ? 'timestamp' : 'text';
};

export const typeOfKind = (kind: ValueKind): DataType => {
  if (kind === 'empty') return { kind: 'text' };
  return kind === 'wide' ? { kind: 'decimal', precision: 38, scale: 0 } : { kind };
};
