import type { BadRow } from '../../connectors/connector.js';
import type { DuckResult } from '../duckdb/program.js';
import { placesOf } from './textParts.js';
import type { TextPart } from './textParts.js';

/** A file of a split, or several, as DuckDB reads them. */
export interface Piece {
  sql: string;
  /** Where rows may be kept aside: what lies in the directory for it. */
  text?: TextPart;
  /** Selects `piece` and the `place` of a row in the part that is no row after all. */
  rejectedSql?: string;
  /** Absent: nothing outside of the directory. */
  reads?: readonly string[];
}

/** Where each piece's rows begin among those of the split. */
const startsOf = (pieces: readonly Piece[]): number[] => {
  let next = 0;
  return pieces.map(({ text }) => {
    const start = next;
    next += (text?.rows ?? 0) + (text?.rejected.length ?? 0);
    return start;
  });
};

export const keptRows = (pieces: readonly Piece[]): BadRow[] => {
  const starts = startsOf(pieces);
  return pieces.flatMap(({ text }, index) =>
    (text?.rejected ?? []).map((bad) => ({ ...bad, row: bad.row + (starts[index] ?? 0) })),
  );
};

export const rejectedSqlOf = (pieces: readonly Piece[]): string | undefined => {
  const selects = pieces.flatMap((piece) => piece.rejectedSql ?? []);
  if (selects.length === 0) return undefined;
  // A list is one row, and answers are cut by their rows.
  const all = selects.join(' UNION ALL ');
  return `SELECT piece, list(place ORDER BY place) FROM (${all}) GROUP BY piece ORDER BY piece`;
};

/** What the answer to `rejectedSqlOf` means. */
export const rejectedRowsOf = (pieces: readonly Piece[], answer: DuckResult): BadRow[] => {
  const starts = startsOf(pieces);
  const finders = pieces.map(({ text }) => placesOf(text?.rejected ?? []));
  return answer.rows.flatMap(([piece, places]) => {
    const index = Number(piece);
    const find = finders[index];
    return (places as unknown[]).map(Number).map((place) => ({
      row: (starts[index] ?? 0) + (find?.(place) ?? place),
      code: 'malformed',
      message: 'The line is no object of JSON.',
    }));
  });
};
