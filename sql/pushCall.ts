import { absolute, arithmetic, negated, wholeDivision } from './pushArithmetic.js';
import { comparable } from './pushCompare.js';
import { bytewise, isText, truth } from './pushPiece.js';
import type { Piece } from './pushPiece.js';
import { unify } from './pushUnify.js';

type Translate = (pieces: readonly Piece[]) => Piece | undefined;

const text = (sql: string): Piece => ({ sql, type: { kind: 'text' }, mayFail: false });

/** A constant count from `least`, small enough for PostgreSQL's integer. */
const count = (piece: Piece | undefined, least: bigint): string | undefined =>
  piece?.literal?.kind === 'integer' &&
  piece.literal.value >= least &&
  piece.literal.value < 2n ** 31n
    ? piece.literal.value.toString()
    : undefined;

const constantText = (piece: Piece | undefined): string | undefined =>
  piece?.literal?.kind === 'text' ? piece.literal.value : undefined;

const binary =
  (translate: (left: Piece, right: Piece) => Piece | undefined): Translate =>
  (pieces) => {
    const [left, right] = pieces;
    return left && right && pieces.length === 2 ? translate(left, right) : undefined;
  };

const unary =
  (translate: (piece: Piece) => Piece | undefined): Translate =>
  (pieces) => {
    const [piece] = pieces;
    return piece && pieces.length === 1 ? translate(piece) : undefined;
  };

const subtraction: Translate = (pieces) =>
  pieces.length === 1
    ? unary(negated)(pieces)
    : binary((left, right) => arithmetic('-', left, right))(pieces);

const joined = binary((left, right) =>
  isText(left) && isText(right) && !(left.literal && right.literal)
    ? text(`(${left.sql} || ${right.sql})`)
    : undefined,
);

/** PostgreSQL's backslash escapes, DuckDB's does not. */
const like = (sign: string): Translate =>
  binary((left, right) =>
    isText(left) && constantText(right) !== undefined
      ? truth(`${bytewise(left)} ${sign} ${right.sql} ESCAPE ''`)
      : undefined,
  );

const substring: Translate = (pieces) => {
  const [subject, start, length] = pieces;
  const from = count(start, 1n);
  const size = length === undefined ? '' : count(length, 0n);
  if (!subject || !isText(subject) || from === undefined || size === undefined) return undefined;
  return text(`substr(${[subject.sql, from, size].filter(Boolean).join(', ')})`);
};

const end = (name: string): Translate =>
  binary((subject, length) => {
    const size = count(length, 0n);
    return isText(subject) && size !== undefined
      ? text(`${name}(${subject.sql}, ${size})`)
      : undefined;
  });

/** Without a list of characters, DuckDB takes more than blanks away. */
const trimmed = (name: string): Translate =>
  binary((subject, characters) =>
    isText(subject) && constantText(characters) !== undefined
      ? text(`${name}(${subject.sql}, ${characters.sql})`)
      : undefined,
  );

const replaced: Translate = (pieces) => {
  const [subject, from, to] = pieces;
  if (!subject || !from || !to || pieces.length !== 3 || !isText(subject)) return undefined;
  if (!constantText(from) || constantText(to) === undefined) return undefined;
  return text(`replace(${bytewise(subject)}, ${from.sql}, ${to.sql})`);
};

const begins = binary((subject, start) =>
  isText(subject) && constantText(start) !== undefined
    ? truth(`starts_with(${bytewise(subject)}, ${start.sql})`)
    : undefined,
);

const contains = binary((subject, part) =>
  isText(subject) && constantText(part) !== undefined
    ? truth(`strpos(${bytewise(subject)}, ${part.sql}) > 0`)
    : undefined,
);

const length = unary((subject) =>
  isText(subject) && !subject.literal
    ? {
        sql: `length(${subject.sql})::bigint`,
        type: { kind: 'bigint' },
        mayFail: false,
        varies: subject.varies,
      }
    : undefined,
);

/** Values of several types come to one. */
export const chosen = (name: string, branches: readonly Piece[]): Piece | undefined => {
  const unified = branches.length > 1 ? unify(branches) : undefined;
  if (!unified || branches.every(({ literal }) => literal)) return undefined;
  return {
    sql: `${name}(${unified.pieces.map(({ sql }) => sql).join(', ')})`,
    type: unified.type,
    mayFail: false,
    // What is known of the first value decides whether the others matter.
    varies: name === 'coalesce' && branches[0]?.varies,
  };
};

const extreme =
  (name: string): Translate =>
  (pieces) =>
    pieces.some(({ type, literal }) => type.kind === 'text' || literal?.kind === 'null')
      ? undefined
      : chosen(name, pieces);

const nullIf = binary((left, right) => {
  const pair = comparable(left, right);
  if (left.literal || !pair) return undefined;
  return {
    sql: `(CASE WHEN ${pair[0].sql} = ${pair[1].sql} THEN NULL ELSE ${left.sql} END)`,
    type: left.type,
    mayFail: false,
  };
});

const calls: ReadonlyMap<string, Translate> = new Map<string, Translate>([
  ['+', binary((left, right) => arithmetic('+', left, right))],
  ['-', subtraction],
  ['*', binary((left, right) => arithmetic('*', left, right))],
  ['%', binary((left, right) => wholeDivision('%', left, right))],
  ['//', binary((left, right) => wholeDivision('/', left, right))],
  ['abs', unary(absolute)],
  ['||', joined],
  ['~~', like('LIKE')],
  ['!~~', like('NOT LIKE')],
  ['length', length],
  ['substring', substring],
  ['substr', substring],
  ['left', end('left')],
  ['right', end('right')],
  ['trim', trimmed('btrim')],
  ['ltrim', trimmed('ltrim')],
  ['rtrim', trimmed('rtrim')],
  ['replace', replaced],
  ['starts_with', begins],
  ['prefix', begins],
  ['^@', begins],
  ['contains', contains],
  ['greatest', extreme('greatest')],
  ['least', extreme('least')],
  ['nullif', nullIf],
]);

export const translateCall = (name: string, pieces: readonly Piece[]): Piece | undefined =>
  calls.get(name)?.(pieces);
