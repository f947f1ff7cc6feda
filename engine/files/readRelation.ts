import type { CallContext, Column } from '../../connectors/connector.js';
import { csvPiece } from './csvRelation.js';
import { columnsOfRange } from './fileRange.js';
import type { FileRange } from './fileRange.js';
import { jsonPiece } from './jsonRelation.js';
import type { FileDeps } from './localFiles.js';
import { parquetPieces } from './parquetRelation.js';
import { keptRows, rejectedRowsOf, rejectedSqlOf } from './pieces.js';
import type { Piece } from './pieces.js';
import type { Relation } from './relation.js';

/** Of a csv every row was looked at; of JSON some may turn out to be none. */
const countedRows = ({ format }: FileRange, pieces: readonly Piece[]): { rows?: number } =>
  format === 'csv' ? { rows: pieces.reduce((sum, { text }) => sum + (text?.rows ?? 0), 0) } : {};

const piecesOf = async (
  deps: FileDeps,
  range: FileRange,
  columns: readonly Column[],
  directory: string,
  ctx: CallContext,
): Promise<Piece[]> => {
  if (range.format === 'parquet') return parquetPieces(deps, columns, range.files, directory, ctx);
  const pieces: Piece[] = [];
  for (const [number, part] of range.files.entries()) {
    ctx.signal.throwIfAborted();
    const piece =
      range.format === 'csv'
        ? csvPiece(deps, range, columns, part, directory, ctx)
        : jsonPiece(deps, range, columns, part, number, directory, ctx);
    pieces.push(await piece);
  }
  return pieces;
};

/** The files of a split as one relation, in their order. */
export const readRelation = async (
  deps: FileDeps,
  range: FileRange,
  directory: string,
  ctx: CallContext,
): Promise<Relation> => {
  const columns = columnsOfRange(range);
  const pieces = await piecesOf(deps, range, columns, directory, ctx);
  const rejectedSql = rejectedSqlOf(pieces);
  return {
    sql: pieces.map(({ sql }) => sql).join(' UNION ALL '),
    reads: [...new Set(pieces.flatMap(({ reads }) => reads ?? []))],
    columns,
    held: range.format === 'parquet' ? 'typed' : 'text',
    bytes: range.files.reduce((sum, { bytes }) => sum + bytes, 0),
    ...countedRows(range, pieces),
    kept: keptRows(pieces),
    ...(rejectedSql === undefined ? {} : { rejectedSql }),
    rejectedRows: (answer) => rejectedRowsOf(pieces, answer),
  };
};
