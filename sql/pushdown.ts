/**
 * Which expressions PostgreSQL can work out for us with the very result that DuckDB would have.
 * Whatever is not known to come out the same is left to DuckDB: undefined is always right.
 *
 * "The same" holds for values that DuckDB can hold. A NaN in a numeric(p,s) or a timestamp after
 * the year 294246 is an error there and may pass here. The database has to be encoded in UTF-8 for
 * texts to be in the order of their bytes.
 */
import type { DataType } from '../core/dataTypes.js';
import type { Expression, OperatorExpression } from './ast.js';
import { lowered } from './functions.js';
import { quoteName } from './postgresText.js';
import { chosen, translateCall } from './pushCall.js';
import { translateCast } from './pushCast.js';
import { comparable, haveOneType, signOf } from './pushCompare.js';
import { literalOf } from './pushLiteral.js';
import { castSql, every, mostDigits, truth, typeOf } from './pushPiece.js';
import type { Piece } from './pushPiece.js';
import { unify } from './pushUnify.js';

/** What a name in an expression stands for. */
export type Lookup = (name: string) => Piece | undefined;

const isNull = ({ literal }: Piece): boolean => literal?.kind === 'null';

const isTruth = ({ type }: Piece): boolean => type.kind === 'boolean';

const logical = (word: 'AND' | 'OR', pieces: readonly Piece[] | undefined): Piece | undefined => {
  if (!pieces?.every(isTruth)) return undefined;
  return truth(pieces.map(({ sql }) => sql).join(` ${word} `));
};

const membership = (word: string, pieces: readonly Piece[]): Piece | undefined => {
  const [subject, ...items] = pieces;
  if (!subject || subject.literal || items.length === 0) return undefined;
  // A list brings all its items into one type; constants of one kind are of one already.
  const [first] = items;
  const mixed = items.some(({ literal }) => !literal || literal.kind !== first?.literal?.kind);
  if (mixed) return undefined;
  const pairs = every(items.map((item) => comparable(subject, item)));
  if (!pairs?.[0] || !haveOneType(pieces)) return undefined;
  return truth(`${pairs[0][0].sql} ${word} (${pairs.map(([, item]) => item.sql).join(', ')})`);
};

const operation = (
  { operator }: OperatorExpression,
  pieces: readonly Piece[],
): Piece | undefined => {
  const [first] = pieces;
  if (operator === 'coalesce') return chosen('coalesce', pieces);
  if (!first || pieces.some(isNull)) return undefined;
  switch (operator) {
    case 'not':
      return isTruth(first) ? truth(`NOT ${first.sql}`) : undefined;
    case 'is null':
      return truth(`${first.sql} IS NULL`);
    case 'is not null':
      return truth(`${first.sql} IS NOT NULL`);
    case 'in':
      return membership('IN', pieces);
    case 'not in':
      return membership('NOT IN', pieces);
    case 'array':
    case 'element':
    case 'field':
    case 'grouping':
    case 'slice':
    case 'try':
    case 'unpack':
      return undefined;
  }
};

const between = (pieces: readonly Piece[]): Piece | undefined => {
  const [input, lower, upper] = pieces;
  if (!input || !lower || !upper || input.literal) return undefined;
  const [above, below] = [comparable(input, lower), comparable(input, upper)];
  if (!above || !below || !haveOneType(pieces)) return undefined;
  const conditions = [`${above[0].sql} >= ${above[1].sql}`, `${below[0].sql} <= ${below[1].sql}`];
  return truth(conditions.join(' AND '));
};

/** `results` has one more than there are conditions. */
const choice = (conditions: readonly Piece[], results: readonly Piece[]): Piece | undefined => {
  const unified = unify(results);
  if (!unified || !conditions.every(isTruth)) return undefined;
  const values = unified.pieces.map(({ sql }) => sql);
  const branches = conditions.map(
    ({ sql }, index) => `WHEN ${sql} THEN ${values[index] ?? 'NULL'}`,
  );
  const otherwise = values.at(-1) ?? 'NULL';
  return {
    sql: `(CASE ${branches.join(' ')} ELSE ${otherwise} END)`,
    type: unified.type,
    mayFail: false,
  };
};

const sums: ReadonlySet<string> = new Set(['+', '-', '*']);

/** BETWEEN and NULLIF double their operand, and columns stand for what they are derived from. */
const mostCharacters = 32 * 1024;

/** The piece that an expression comes to, which may still be a bare constant. */
const piece = (expression: Expression, columns: Lookup): Piece | undefined => {
  const found = unbounded(expression, columns);
  if (!found || found.sql.length > mostCharacters) return undefined;
  // A planner that works out a constant fails without a row that would.
  return found.mayFail && !found.varies ? undefined : found;
};

const unbounded = (expression: Expression, columns: Lookup): Piece | undefined => {
  // DuckDB's optimizer rewrites what looks at a value that may fail until nothing fails.
  const total = (child: Expression): Piece | undefined => {
    const found = piece(child, columns);
    return found?.mayFail ? undefined : found;
  };
  const value = (child: Expression): Piece | undefined => {
    const found = total(child);
    return found && !isNull(found) ? found : undefined;
  };
  /** An operand of a sum or a product, which fails as a whole where a part fails. */
  const part = (child: Expression): Piece | undefined => {
    const found = piece(child, columns);
    return found && !isNull(found) ? found : undefined;
  };
  switch (expression.kind) {
    case 'column': {
      const [name, ...more] = expression.path;
      return name !== undefined && more.length === 0 ? columns(name) : undefined;
    }
    case 'constant':
      return literalOf(expression);
    case 'comparison': {
      const [left, right] = [value(expression.left), value(expression.right)];
      const pair = left && right && comparable(left, right);
      if (!pair || (left.literal && right.literal)) return undefined;
      return truth(`${pair[0].sql} ${signOf(expression.operator)} ${pair[1].sql}`);
    }
    case 'conjunction': {
      const word = expression.operator === 'and' ? 'AND' : 'OR';
      return logical(word, every(expression.children.map(value)));
    }
    case 'operator': {
      const pieces = every(expression.children.map(total));
      return pieces && operation(expression, pieces);
    }
    case 'between': {
      const pieces = every([expression.input, expression.lower, expression.upper].map(value));
      return pieces && between(pieces);
    }
    case 'case': {
      const conditions = every(expression.branches.map(({ when }) => value(when)));
      const results = every(
        [...expression.branches.map(({ then }) => then), expression.otherwise].map(total),
      );
      return conditions && results && choice(conditions, results);
    }
    case 'cast': {
      const type = typeOf(expression.type);
      const child = value(expression.child);
      return child && type && !expression.forgiving ? translateCast(child, type) : undefined;
    }
    case 'function': {
      const { name, qualifiers, distinct, filter, orders } = expression;
      const plain = !distinct && !filter && orders.length === 0;
      const own = qualifiers.length === 0 || qualifiers.join() === 'main';
      const pieces = every(expression.children.map(sums.has(name) ? part : value));
      return plain && own && pieces ? translateCall(lowered(name), pieces) : undefined;
    }
    case 'collate':
    case 'default':
    case 'lambda':
    case 'parameter':
    case 'position':
    case 'star':
    case 'subquery':
    case 'window':
      return undefined;
  }
};

/** A column of the table that is read. Undefined for types that are never pushed. */
export const columnPiece = (name: string, type: DataType): Piece | undefined => {
  const sql = quoteName(name);
  const held = type.kind !== 'decimal' || type.precision <= mostDigits;
  // The cast only says whether the type has a name here.
  return held && castSql(sql, type) !== undefined
    ? { sql, type, mayFail: false, varies: true }
    : undefined;
};

export interface PushedExpression {
  sql: string;
  type: DataType;
  /** There are values for which it fails, here as in DuckDB. */
  mayFail: boolean;
}

/** The value comes out in the type that is named: it is what a table is made of. */
export const translate = (
  expression: Expression,
  columns: Lookup,
): PushedExpression | undefined => {
  const found = piece(expression, columns);
  if (!found || isNull(found)) return undefined;
  const sql = castSql(found.sql, found.type);
  return sql === undefined ? undefined : { sql, type: found.type, mayFail: found.mayFail };
};

/** `columns` have to be of exactly these types in the source, under these names. */
export const toPostgres = (
  expression: Expression,
  columns: ReadonlyMap<string, DataType>,
): PushedExpression | undefined =>
  translate(expression, (name) => {
    const type = columns.get(name);
    return type && columnPiece(name, type);
  });
