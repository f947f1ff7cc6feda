/** Constants of dates, times and ids: one way of writing each, about which nobody disagrees. */
import type { PlainType } from '../core/dataTypes.js';
import { castSql } from './pushPiece.js';
import type { Piece } from './pushPiece.js';

const day = /^(\d{4})-(\d\d)-(\d\d)$/;
const time = /^([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,6})?$/;

const isDay = (text: string): boolean => {
  const parts = day.exec(text);
  if (!parts || parts[1] === '0000') return false;
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
};

const isMoment = (text: string): boolean => {
  const [date = '', clock, ...more] = text.split(/[ T]/);
  return isDay(date) && (clock === undefined || time.test(clock)) && more.length === 0;
};

const forms: Readonly<Partial<Record<PlainType, (text: string) => boolean>>> = {
  date: isDay,
  timestamp: isMoment,
  // Without an offset it would be the session's time zone.
  timestamptz: (text) =>
    text.includes(':') &&
    /(Z|[+-]00(:00)?)$/.test(text) &&
    isMoment(text.replace(/(Z|[+-][\d:]+)$/, '')),
  uuid: (text) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text),
};

/** A text constant that stands where a value of `kind` is meant. */
export const momentOf = (piece: Piece, kind: PlainType): Piece | undefined => {
  if (piece.literal?.kind !== 'text' || !forms[kind]?.(piece.literal.value)) return undefined;
  const type = { kind };
  const sql = castSql(piece.sql, type);
  return sql === undefined ? undefined : { sql, type, mayFail: false };
};
