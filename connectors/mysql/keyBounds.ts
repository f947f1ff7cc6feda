import { quoteName, quoteTable, quoteText } from './quote.js';
import type { TableName } from './quote.js';
import { countSql, expectedRows } from './relation.js';
import type { Relation, SplitKey } from './relation.js';
import type { Session } from './session.js';

/** Each is asked of the server's statistics, which takes a fraction of a millisecond. */
const mostQuestions = 20_000;

interface Piece {
  from: bigint;
  /** Not inside. */
  to: bigint;
  rows: number;
}

/** Small neighbours go together, until they have about as many rows as are wanted. */
export const joinPieces = (pieces: readonly Piece[], wanted: number): bigint[] => {
  const bounds: bigint[] = [];
  let rows = 0;
  for (const piece of pieces) {
    if (rows > 0 && rows + piece.rows > wanted * 1.25) {
      bounds.push(piece.from);
      rows = 0;
    }
    rows += piece.rows;
  }
  return bounds;
};

/** Halves what has too many rows: however the numbers are spread, the parts have about as many. */
const wholeBounds = async (
  session: Session,
  name: TableName,
  column: string,
  wanted: number,
  rows: number,
): Promise<string[]> => {
  const key = quoteName(column);
  const [ends] = await session.rows(
    `select min(${key}) as least, max(${key}) as most from ${quoteTable(name)}`,
  );
  if (ends?.['least'] == null || ends['most'] == null) return [];
  let questions = 0;
  const ask = async (from: bigint, to: bigint): Promise<Piece> => {
    questions += 1;
    const condition = `${key} >= ${from} and ${key} < ${to}`;
    return { from, to, rows: await expectedRows(session, countSql(name, condition)) };
  };
  const waiting = [await ask(BigInt(ends['least']), BigInt(ends['most']) + 1n)];
  const pieces: Piece[] = [];
  for (let piece = waiting.pop(); piece; piece = waiting.pop()) {
    const isSmall = piece.rows <= wanted / 2 || piece.to - piece.from < 2n;
    if (isSmall || questions >= mostQuestions) {
      pieces.push(piece);
      continue;
    }
    const middle = piece.from + (piece.to - piece.from) / 2n;
    waiting.push(await ask(middle, piece.to), await ask(piece.from, middle));
  }
  // What the server expects of all parts together may be far from what it expects of the whole.
  const expected = pieces.reduce((sum, piece) => sum + piece.rows, 0);
  return joinPieces(pieces, (wanted * expected) / Math.max(1, rows)).map(String);
};

const literalOf = (kind: SplitKey['kind'], value: string): string =>
  kind === 'bytes' ? `x'${value}'` : quoteText(value);

/** Walks through the index, a part at a time: the server counts, and answers where it got to. */
const walkedBounds = async (
  session: Session,
  name: TableName,
  { column, kind }: SplitKey,
  wanted: number,
): Promise<string[]> => {
  const key = quoteName(column);
  const shown = kind === 'bytes' ? `hex(${key})` : key;
  const bounds: string[] = [];
  for (;;) {
    const last = bounds.at(-1);
    const [row] = await session.rows(
      `select ${shown} as reached from ${quoteTable(name)}
        ${last === undefined ? '' : `where ${key} >= ${last}`}
        order by ${key} limit 1 offset ${wanted}`,
    );
    if (row?.['reached'] == null) return bounds;
    const reached = literalOf(kind, row['reached']);
    if (reached !== last) {
      bounds.push(reached);
      continue;
    }
    // One value fills a part: the next one begins another.
    const [next] = await session.rows(
      `select ${shown} as reached from ${quoteTable(name)} where ${key} > ${last}
        order by ${key} limit 1`,
    );
    if (next?.['reached'] == null) return bounds;
    bounds.push(literalOf(kind, next['reached']));
  }
};

/** Where to cut a table into parts of about `wanted` rows, as literals in the order of the key. */
export const keyBounds = async (
  session: Session,
  name: TableName,
  { key, rows }: Relation,
  wanted: number,
): Promise<string[]> => {
  if (!key) return [];
  return key.kind === 'whole'
    ? wholeBounds(session, name, key.column, wanted, rows)
    : walkedBounds(session, name, key, wanted);
};
