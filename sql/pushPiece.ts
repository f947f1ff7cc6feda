/** A part of an expression in PostgreSQL's SQL, and what is known about it. */
import type { DataType } from '../core/dataTypes.js';
import type { SqlType } from './ast.js';
import { postgresType, quoteText } from './postgresText.js';

export type Decimal = Extract<DataType, { kind: 'decimal' }>;

/** A constant, whose type bends to what it meets. */
export type Literal =
  | { kind: 'integer'; value: bigint }
  | { kind: 'decimal'; digits: string }
  | { kind: 'double' }
  | { kind: 'text'; value: string }
  | { kind: 'null' };

export interface Piece {
  sql: string;
  /** What DuckDB makes of it, in our words. */
  type: DataType;
  /** There are values for which it is an error, in DuckDB exactly as in PostgreSQL. */
  mayFail: boolean;
  /** No planner can work it out before it sees a row: a column goes into it, whatever the row. */
  varies?: boolean | undefined;
  literal?: Literal;
}

const plain: ReadonlyMap<string, DataType> = new Map<string, DataType>([
  ['BOOLEAN', { kind: 'boolean' }],
  ['SMALLINT', { kind: 'smallint' }],
  ['INTEGER', { kind: 'integer' }],
  ['BIGINT', { kind: 'bigint' }],
  ['DOUBLE', { kind: 'double' }],
  ['VARCHAR', { kind: 'text' }],
  ['UUID', { kind: 'uuid' }],
  ['DATE', { kind: 'date' }],
  ['TIMESTAMP', { kind: 'timestamp' }],
  ['TIMESTAMP WITH TIME ZONE', { kind: 'timestamptz' }],
]);

export const typeOf = ({ id, width, scale }: SqlType): DataType | undefined =>
  id === 'DECIMAL' && width !== undefined && scale !== undefined
    ? { kind: 'decimal', precision: width, scale }
    : plain.get(id);

/** Digits before the point that an integer type takes as a decimal of DuckDB's. */
const integerDigits = { smallint: 5, integer: 10, bigint: 19 } as const;
export type IntegerKind = keyof typeof integerDigits;

const integerKinds: readonly IntegerKind[] = ['smallint', 'integer', 'bigint'];

export const integerKindOf = ({ kind }: DataType): IntegerKind | undefined =>
  integerKinds.find((candidate) => candidate === kind);

const bits = { smallint: 16, integer: 32, bigint: 64 } as const;

const fits = (value: bigint, kind: IntegerKind): boolean =>
  BigInt.asIntN(bits[kind], value) === value;

/** The narrowest type that holds a constant; the type itself for anything else. */
export const bentKind = ({ type, literal }: Piece): IntegerKind | undefined =>
  literal?.kind === 'integer'
    ? integerKinds.find((kind) => fits(literal.value, kind))
    : integerKindOf(type);

export const widest = (kinds: readonly IntegerKind[]): IntegerKind =>
  integerKinds.findLast((kind) => kinds.includes(kind)) ?? 'bigint';

export const decimalOf = ({ type }: Piece): Decimal | undefined => {
  if (type.kind === 'decimal') return type;
  const kind = integerKindOf(type);
  return kind && { kind: 'decimal', precision: integerDigits[kind], scale: 0 };
};

/** DuckDB's decimals end here. */
export const mostDigits = 38;

/** The narrowest decimal that holds all of several. */
export const decimalFor = (decimals: readonly Decimal[]): Decimal | undefined => {
  const scale = Math.max(...decimals.map((one) => one.scale));
  const whole = Math.max(...decimals.map((one) => one.precision - one.scale));
  return whole + scale > mostDigits
    ? undefined
    : { kind: 'decimal', precision: whole + scale, scale };
};

export const castSql = (sql: string, type: DataType): string | undefined => {
  const name = postgresType(type);
  return name === undefined ? undefined : `(${sql})::${name}`;
};

export const cast = (piece: Piece, type: DataType, mayFail = false): Piece | undefined => {
  const sql = castSql(piece.sql, type);
  return sql === undefined ? undefined : { sql, type, mayFail, varies: piece.varies };
};

export const truth = (sql: string): Piece => ({
  sql: `(${sql})`,
  type: { kind: 'boolean' },
  mayFail: false,
});

export const isText = ({ type }: Piece): boolean => type.kind === 'text';

/** PostgreSQL's order and equality of text are a column's own; DuckDB's are those of the bytes. */
export const bytewise = ({ sql }: Piece): string => `(${sql} COLLATE "C")`;

export const textLiteral = (value: string): Piece => ({
  sql: `${quoteText(value)}::text`,
  type: { kind: 'text' },
  mayFail: false,
  literal: { kind: 'text', value },
});

/** Undefined as soon as one is. */
export const every = <T>(items: readonly (T | undefined)[]): readonly T[] | undefined => {
  const found = items.filter((item) => item !== undefined);
  return found.length === items.length ? found : undefined;
};
