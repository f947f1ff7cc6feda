import { asDouble } from './pushCompare.js';
import {
  bentKind,
  cast,
  decimalFor,
  decimalOf,
  every,
  integerKindOf,
  widest,
} from './pushPiece.js';
import type { Piece } from './pushPiece.js';
import type { DataType } from '../core/dataTypes.js';

const sameKinds: readonly string[] = [
  'boolean',
  'text',
  'uuid',
  'date',
  'timestamp',
  'timestamptz',
];

const integerType = (pieces: readonly Piece[]): DataType | undefined => {
  const fixed = pieces.filter(({ literal }) => literal?.kind !== 'integer');
  // Constants among themselves keep the types that they are written with.
  const kinds = every(
    fixed.length > 0 ? pieces.map(bentKind) : pieces.map((one) => integerKindOf(one.type)),
  );
  return kinds && { kind: widest(kinds) };
};

/** The one type that values of several branches take in DuckDB, with each of them in it. */
export const unify = (
  branches: readonly Piece[],
): { type: DataType; pieces: readonly Piece[] } | undefined => {
  const values = branches.filter(({ literal }) => literal?.kind !== 'null');
  const [first] = values;
  if (!first) return undefined;
  const settled = (type: DataType | undefined): ReturnType<typeof unify> => {
    if (!type) return undefined;
    const pieces = every(
      branches.map((one) => (one.type.kind === 'real' ? undefined : cast(one, type))),
    );
    return pieces && { type, pieces };
  };
  if (sameKinds.includes(first.type.kind)) {
    const { kind } = first.type;
    return values.every((one) => one.type.kind === kind) ? settled(first.type) : undefined;
  }
  if (values.some(({ type }) => type.kind === 'double')) {
    const doubles = every(
      branches.map((one) => (one.literal?.kind === 'null' ? one : asDouble(one))),
    );
    return doubles && { type: { kind: 'double' }, pieces: doubles };
  }
  if (values.every(({ type }) => integerKindOf(type))) return settled(integerType(values));
  // A whole constant bends to integers, but not to decimals: between both, the order would matter.
  const whole = values.filter(({ type }) => integerKindOf(type));
  if (new Set(whole.map(({ literal }) => literal !== undefined)).size > 1) return undefined;
  const decimals = every(values.map(decimalOf));
  return decimals && settled(decimalFor(decimals));
};
