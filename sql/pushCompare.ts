import type { Comparison } from './ast.js';
import { momentOf } from './pushMoment.js';
import { bentKind, bytewise, cast, decimalFor, decimalOf, every, isText } from './pushPiece.js';
import type { Piece } from './pushPiece.js';

const signs: Readonly<Record<Comparison, string>> = {
  '=': '=',
  '<>': '<>',
  '<': '<',
  '<=': '<=',
  '>': '>',
  '>=': '>=',
  distinct: 'IS DISTINCT FROM',
  'not distinct': 'IS NOT DISTINCT FROM',
};

export const signOf = (operator: Comparison): string => signs[operator];

/** Constants of more digits may come out as another double in DuckDB than in PostgreSQL. */
const exactDigits = 15;
const exactInteger = 2n ** 53n;

/** A constant as the double that both sides make of it. */
export const asDouble = (piece: Piece): Piece | undefined => {
  const { literal, type } = piece;
  if (type.kind === 'double') return piece;
  if (literal?.kind === 'integer') {
    const { value } = literal;
    if (value > exactInteger || value < -exactInteger) return undefined;
    return cast(piece, { kind: 'double' });
  }
  if (literal?.kind !== 'decimal' || literal.digits.length > exactDigits) return undefined;
  return {
    sql: `'${literal.digits}'::double precision`,
    type: { kind: 'double' },
    mayFail: false,
  };
};

const numbers = (left: Piece, right: Piece): readonly [Piece, Piece] | undefined => {
  if (left.type.kind === 'double' || right.type.kind === 'double') {
    const one = asDouble(left);
    const other = asDouble(right);
    return one && other && [one, other];
  }
  if (bentKind(left) && bentKind(right)) return [left, right];
  const [one, other] = [decimalOf(left), decimalOf(right)];
  return one && other && decimalFor([one, other]) && [left, right];
};

/** Kinds that are compared with nothing but themselves. */
const ordered: ReadonlySet<string> = new Set([
  ...['boolean', 'uuid', 'date', 'timestamp', 'timestamptz', 'real'],
]);

/** Whether DuckDB has one type for all of several numbers that are compared with each other. */
export const haveOneType = (pieces: readonly Piece[]): boolean => {
  const decimals = every(pieces.map(decimalOf));
  return decimals === undefined || decimalFor(decimals) !== undefined;
};

/** Both as they are compared, or undefined where the two systems might not agree. */
export const comparable = (left: Piece, right: Piece): readonly [Piece, Piece] | undefined => {
  if (isText(left) && isText(right)) return [{ ...left, sql: bytewise(left) }, right];
  if (isText(left) && left.literal?.kind === 'text') {
    const moment = right.type.kind === 'decimal' ? undefined : momentOf(left, right.type.kind);
    return moment && [moment, right];
  }
  if (isText(right) && right.literal?.kind === 'text') {
    const moment = left.type.kind === 'decimal' ? undefined : momentOf(right, left.type.kind);
    return moment && [left, moment];
  }
  if (!ordered.has(left.type.kind)) return numbers(left, right);
  return left.type.kind === right.type.kind ? [left, right] : undefined;
};
