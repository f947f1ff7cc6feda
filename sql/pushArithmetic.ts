import {
  bentKind,
  cast,
  castSql,
  decimalOf,
  integerKindOf,
  mostDigits,
  widest,
} from './pushPiece.js';
import type { Decimal, Piece } from './pushPiece.js';

/** Above, DuckDB keeps decimals in 128 bits, where it goes only if an operand is there already. */
const fastDigits = 18;

const sumType = (left: Decimal, right: Decimal): Decimal | undefined => {
  const scale = Math.max(left.scale, right.scale);
  const whole = Math.max(left.precision - left.scale, right.precision - right.scale);
  const operands = Math.max(left.precision, right.precision);
  const wanted = Math.max(whole + scale, operands) + 1;
  const precision =
    wanted > fastDigits && operands <= fastDigits ? fastDigits : Math.min(wanted, mostDigits);
  // DuckDB brings the operands into the type of the sum, which must not fail where the sum fits.
  return whole + scale > precision ? undefined : { kind: 'decimal', precision, scale };
};

const productType = (left: Decimal, right: Decimal): Decimal | undefined => {
  const scale = left.scale + right.scale;
  const operands = Math.max(left.precision, right.precision);
  const wanted = left.precision + right.precision;
  const capped = wanted > fastDigits && operands <= fastDigits && scale < fastDigits;
  const precision = capped ? fastDigits : Math.min(wanted, mostDigits);
  return scale > precision ? undefined : { kind: 'decimal', precision, scale };
};

const oneVaries = (left: Piece, right: Piece): boolean =>
  [left, right].some(({ varies }) => varies);

const decimals = (sign: string, left: Piece, right: Piece): Piece | undefined => {
  const [one, other] = [decimalOf(left), decimalOf(right)];
  if (!one || !other) return undefined;
  const type = sign === '*' ? productType(one, other) : sumType(one, other);
  if (!type) return undefined;
  const needed =
    sign === '*'
      ? one.precision + other.precision
      : Math.max(one.precision - one.scale, other.precision - other.scale) + 1 + type.scale;
  const sql = castSql(`(${left.sql})::numeric ${sign} (${right.sql})::numeric`, type);
  if (sql === undefined) return undefined;
  const mayFail = left.mayFail || right.mayFail || needed > type.precision;
  return { sql, type, mayFail, varies: oneVaries(left, right) };
};

const isZero = ({ literal }: Piece): boolean =>
  (literal?.kind === 'integer' && literal.value === 0n) ||
  (literal?.kind === 'decimal' && Number(literal.digits) === 0);

/** `+`, `-` and `*` of integers and decimals. Doubles overflow to infinity only in DuckDB. */
export const arithmetic = (sign: string, left: Piece, right: Piece): Piece | undefined => {
  if (left.literal && right.literal) return undefined;
  // What is multiplied by zero need not be worked out.
  if ((left.mayFail && isZero(right)) || (right.mayFail && isZero(left))) return undefined;
  const [one, other] = [bentKind(left), bentKind(right)];
  if (!integerKindOf(left.type) || !integerKindOf(right.type)) return decimals(sign, left, right);
  if (!one || !other) return undefined;
  const type = { kind: widest([one, other]) };
  const operands = [cast(left, type)?.sql, cast(right, type)?.sql];
  return {
    sql: `(${operands.join(` ${sign} `)})`,
    type,
    mayFail: true,
    varies: oneVaries(left, right),
  };
};

/** `%` and `//` by a positive constant, for which there is nothing to disagree about. */
export const wholeDivision = (sign: string, left: Piece, right: Piece): Piece | undefined => {
  const [one, other] = [bentKind(left), bentKind(right)];
  const positive = right.literal?.kind === 'integer' && right.literal.value > 0n;
  if (!one || !other || !positive || left.literal) return undefined;
  const type = { kind: widest([one, other]) };
  const operands = [cast(left, type)?.sql, cast(right, type)?.sql];
  return { sql: `(${operands.join(` ${sign} `)})`, type, mayFail: false, varies: left.varies };
};

/** The lowest integer has no counterpart; decimals and doubles all have. */
const oneSided = (piece: Piece, sql: string): Piece | undefined => {
  const { type, literal, varies } = piece;
  if (literal) return undefined;
  if (integerKindOf(type)) return { sql, type, mayFail: true, varies };
  const signed = type.kind === 'decimal' || type.kind === 'double';
  return signed ? { ...piece, sql } : undefined;
};

export const negated = (piece: Piece): Piece | undefined => oneSided(piece, `(- (${piece.sql}))`);

export const absolute = (piece: Piece): Piece | undefined => oneSided(piece, `abs(${piece.sql})`);
