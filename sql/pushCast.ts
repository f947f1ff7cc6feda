import type { DataType } from '../core/dataTypes.js';
import { boolean } from './pushLiteral.js';
import { momentOf } from './pushMoment.js';
import { cast, integerKindOf, mostDigits } from './pushPiece.js';
import type { Piece } from './pushPiece.js';

const sameType = (one: DataType, other: DataType): boolean =>
  one.kind === 'decimal' && other.kind === 'decimal'
    ? one.precision === other.precision && one.scale === other.scale
    : one.kind === other.kind;

const widths = { smallint: 5, integer: 10, bigint: 19 } as const;

const alike: readonly string[] = ['boolean', 'smallint', 'integer', 'bigint', 'uuid', 'text'];

/** Values of which both systems write the same; DuckDB's `.5` has no zero if its type has none. */
const readsTheSame = (type: DataType): boolean =>
  type.kind === 'decimal' ? type.scale < type.precision : alike.includes(type.kind);

const fromInteger = (piece: Piece, to: DataType): Piece | undefined => {
  const from = integerKindOf(piece.type);
  if (!from) return undefined;
  const target = integerKindOf(to);
  if (target) return cast(piece, to, widths[target] < widths[from]);
  if (to.kind === 'double') return cast(piece, to);
  if (to.kind !== 'decimal' || to.precision > mostDigits) return undefined;
  return cast(piece, to, to.precision - to.scale < widths[from]);
};

/** Only to at least as many digits behind the point: nothing is rounded. */
const fromDecimal = (piece: Piece, to: DataType): Piece | undefined => {
  const { type } = piece;
  if (type.kind !== 'decimal' || to.kind !== 'decimal') return undefined;
  if (to.precision > mostDigits || to.scale < type.scale) return undefined;
  const narrower = to.precision - to.scale < type.precision - type.scale;
  return cast(piece, to, narrower);
};

export const translateCast = (piece: Piece, to: DataType): Piece | undefined => {
  const { type, literal } = piece;
  if (literal?.kind === 'text' && to.kind === 'boolean') {
    return literal.value === 't' || literal.value === 'f'
      ? boolean(literal.value === 't')
      : undefined;
  }
  if (literal?.kind === 'text' && to.kind !== 'text') {
    return to.kind === 'decimal' ? undefined : momentOf(piece, to.kind);
  }
  if (literal) return undefined;
  if (sameType(type, to)) return piece;
  if (to.kind === 'text') return readsTheSame(type) ? cast(piece, to) : undefined;
  if (type.kind === 'timestamp' && to.kind === 'date') return cast(piece, to);
  return fromInteger(piece, to) ?? fromDecimal(piece, to);
};
