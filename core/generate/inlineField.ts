import { isCalendarDay, isTimeOfDay, isUtcOffset } from '../calendar.js';
import type { DataType } from '../dataTypes.js';
import { isStorableText } from '../text.js';
import { base64ToHex } from './base64.js';
import { csvText } from './csv.js';
import { intervalText } from './interval.js';

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
  return matched(value, forms.integer);
};

const inBounds = (text: string, kind: keyof typeof integerBounds): boolean => {
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

/** As far as PostgreSQL's numeric goes. */
const numericDigits = { before: 131_072, after: 16_383 };

/** A number as plain digits; one that JavaScript writes with an exponent is given as a string. */
const plainNumber = (value: unknown): string | undefined =>
  matched(typeof value === 'number' ? String(value) : value, forms.decimal);

/** Neither beyond the type's largest number, nor so small that only zero is left of it. */
const inReach = (text: string, kind: 'real' | 'double'): boolean => {
  if (/[in]/i.test(text)) return true;
  const value = kind === 'real' ? Math.fround(Number(text)) : Number(text);
  return Number.isFinite(value) && (value !== 0 || !/[1-9]/.test(text.replace(/e.*$/i, '')));
};

const matched = (value: unknown, form: RegExp): string | undefined =>
  typeof value === 'string' && form.test(value) ? value : undefined;

const moment = (value: unknown, kind: 'timestamp' | 'timestamptz'): string | undefined => {
  const text = matched(value, forms[kind]);
  if (text === undefined || !isCalendarDay(text)) return undefined;
  const [, time = '', zone = ''] = /^([\d:.]+)(.*)$/.exec(text.slice(11)) ?? [];
  if (!isTimeOfDay(time)) return undefined;
  return zone === '' || isUtcOffset(zone) ? text : undefined;
};

/** jsonb takes neither NUL nor half a surrogate pair, which JSON.stringify writes as escapes. */
const json = (value: unknown): string | undefined => {
  const text = JSON.stringify(value) as string | undefined;
  if (text === undefined) return undefined;
  const storable = !/(?<!\\)(\\\\)*\\u(0000|d[89a-f])/.test(text);
  return storable ? csvText(text) : undefined;
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
      return text !== undefined && inBounds(text, type.kind) ? text : undefined;
    }
    case 'decimal': {
      const text = plainNumber(value);
      return text !== undefined && fitsDecimal(text, type.precision, type.scale) ? text : undefined;
    }
    case 'numeric': {
      const { before, after } = numericDigits;
      const text = plainNumber(value);
      return text !== undefined && fitsDecimal(text, before + after, after) ? text : undefined;
    }
    case 'real':
    case 'double': {
      const text = matched(typeof value === 'number' ? String(value) : value, forms.real);
      return text !== undefined && inReach(text, type.kind) ? text : undefined;
    }
    case 'text':
      return typeof value === 'string' && isStorableText(value) ? csvText(value) : undefined;
    case 'bytes': {
      const text = matched(value, forms.bytes);
      return text === undefined ? undefined : `\\x${base64ToHex(text)}`;
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
    case 'interval':
      return typeof value === 'string' ? intervalText(value) : undefined;
    case 'json':
      return json(value);
  }
};
