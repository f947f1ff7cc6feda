import type { DataType } from '../dataTypes.js';
import { csvText } from './csv.js';

const integerBounds: Readonly<
  Record<'smallint' | 'integer' | 'bigint', readonly [bigint, bigint]>
> = {
  smallint: [-32768n, 32767n],
  integer: [-2147483648n, 2147483647n],
  bigint: [-9223372036854775808n, 9223372036854775807n],
};

const forms = {
  integer: /^[+-]?\d{1,19}$/,
  decimal: /^[+-]?(\d+(\.\d*)?|\.\d+)$/,
  real: /^([+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d{1,4})?|NaN|[+-]?Infinity)$/i,
  uuid: /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i,
  bytes: /^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/,
  date: /^\d{4}-\d{2}-\d{2}$/,
  time: /^\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?$/,
  timestamp: /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?$/,
  timestamptz: /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?(Z|[+-]\d{2}(:?\d{2})?)$/,
} as const;

const whole = (value: unknown): string | undefined => {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? String(value) : undefined;
  return typeof value === 'string' && forms.integer.test(value) ? value : undefined;
};

const fits = (text: string, kind: keyof typeof integerBounds): boolean => {
  const [least, most] = integerBounds[kind];
  const value = BigInt(text.replace(/^\+/, ''));
  return value >= least && value <= most;
};

/** Digits before and after the point that matter must fit; nothing is rounded in silence. */
const fitsDecimal = (text: string, precision: number, scale: number): boolean => {
  const [before = '', after = ''] = text.replace(/^[+-]/, '').split('.');
  const digitsBefore = before.replace(/^0+/, '').length;
  const digitsAfter = after.replace(/0+$/, '').length;
  return digitsAfter <= scale && digitsBefore <= precision - scale;
};

/** A number only if JSON keeps it exact; anything longer is written as a string. */
const plainNumber = (value: unknown): string | undefined => {
  if (typeof value === 'string') return value;
  if (typeof value !== 'number' || !Number.isFinite(value)) return undefined;
  const text = String(value);
  return forms.decimal.test(text) ? text : undefined;
};

/** Days that no calendar has pass the pattern and must not reach the database. */
const isCalendarDay = (text: string): boolean => {
  const day = text.slice(0, 10);
  const parsed = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(parsed.getTime()) && parsed.toISOString().startsWith(day);
};

const isTimeOfDay = (text: string): boolean => {
  const [hour = 0, minute = 0, second = 0] = text.split(':').map(Number);
  return hour < 24 && minute < 60 && second < 60;
};

const matched = (value: unknown, form: RegExp): string | undefined =>
  typeof value === 'string' && form.test(value) ? value : undefined;

const moment = (value: unknown, kind: 'timestamp' | 'timestamptz'): string | undefined => {
  const text = matched(value, forms[kind]);
  if (text === undefined || !isCalendarDay(text)) return undefined;
  return isTimeOfDay(text.slice(11).replace(/(Z|[+-][\d:]*)$/, '')) ? text : undefined;
};

const decodeBytes = (text: string): string => {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  let hex = '';
  for (let at = 0; at < text.length; at += 4) {
    const quad = text.slice(at, at + 4);
    const bits = [...quad].reduce((sum, sign) => sum * 64 + Math.max(0, alphabet.indexOf(sign)), 0);
    const bytes = 3 - (quad.match(/=/g)?.length ?? 0);
    hex += bits
      .toString(16)
      .padStart(6, '0')
      .slice(0, bytes * 2);
  }
  return `\\x${hex}`;
};

/**
 * A JSON value as a csv field of the type; undefined when it is not one. The empty field is NULL.
 * bytes are base64, as everywhere on our wire.
 */
export const inlineField = (type: DataType, value: unknown): string | undefined => {
  if (value === null) return '';
  switch (type.kind) {
    case 'boolean':
      return typeof value === 'boolean' ? String(value) : undefined;
    case 'smallint':
    case 'integer':
    case 'bigint': {
      const text = whole(value);
      return text !== undefined && fits(text, type.kind) ? text : undefined;
    }
    case 'decimal': {
      const text = plainNumber(value);
      if (text === undefined || !forms.decimal.test(text)) return undefined;
      return fitsDecimal(text, type.precision, type.scale) ? text : undefined;
    }
    case 'real':
    case 'double':
      if (typeof value === 'number') return String(value);
      return matched(value, forms.real);
    case 'text':
      return typeof value === 'string' ? csvText(value) : undefined;
    case 'bytes': {
      const text = matched(value, forms.bytes);
      return text === undefined ? undefined : csvText(decodeBytes(text));
    }
    case 'uuid':
      return matched(value, forms.uuid);
    case 'date': {
      const text = matched(value, forms.date);
      return text !== undefined && isCalendarDay(text) ? text : undefined;
    }
    case 'time': {
      const text = matched(value, forms.time);
      return text !== undefined && isTimeOfDay(text) ? text : undefined;
    }
    case 'timestamp':
    case 'timestamptz':
      return moment(value, type.kind);
    case 'json':
      return csvText(JSON.stringify(value));
  }
};
