import type { DataType } from './dataTypes.js';
import { mostMilliseconds } from './generate/interval.js';

const moment = /^(\d{4,6})-(\d\d)-(\d\d)(?:[ T](\d\d):(\d\d):(\d\d)(?:\.\d+)?)?/;

const wholeNumbers: readonly DataType['kind'][] = ['smallint', 'integer', 'bigint'];

const asDay = (time: Date): string => time.toISOString().slice(0, 10);

const asMoment = (time: Date): string => time.toISOString().replace('T', ' ').slice(0, 23);

/** Rounded down: a little more than asked for is read again, never less. */
const earlier = (text: string, kind: DataType['kind'], lookback: string): string | undefined => {
  const [, year, month, day, hour = '0', minute = '0', second = '0'] = moment.exec(text) ?? [];
  const back = mostMilliseconds(lookback);
  if (year === undefined || back === undefined || text.endsWith('BC')) return undefined;
  const at = Date.UTC(
    Number(year),
    Number(month) - 1,
    Number(day),
    Number(hour),
    Number(minute),
    Number(second),
  );
  const time = new Date(at - back);
  if (kind === 'date') return asDay(time);
  return kind === 'timestamptz' ? `${asMoment(time)}+00` : asMoment(time);
};

/**
 * The value from which a source is read again when it is to look back from where it was. Undefined
 * where the lookback means nothing for a cursor of this type.
 */
export const lookedBack = (
  value: string,
  { kind }: DataType,
  lookback: number | string,
): string | undefined => {
  if (typeof lookback === 'string') {
    const timed = kind === 'date' || kind === 'timestamp' || kind === 'timestamptz';
    // Before or after all times there is nothing to go back from.
    if (timed && value.includes('infinity')) return value;
    return timed ? earlier(value, kind, lookback) : undefined;
  }
  if (wholeNumbers.includes(kind)) return String(BigInt(value) - BigInt(Math.ceil(lookback)));
  const numeric = ['real', 'double', 'decimal', 'numeric'].includes(kind);
  return numeric ? String(Number(value) - lookback) : undefined;
};
