import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { CallContext, Column } from '../../connectors/connector.js';
import { guardRows } from '../csv/guardRows.js';
import { linesPiece } from '../files/jsonRelation.js';
import { writeFileFrom } from '../files/localFiles.js';
import { keptRows, rejectedRowsOf, rejectedSqlOf } from '../files/pieces.js';
import type { Relation } from '../files/relation.js';
import { lineDialect } from '../files/textParts.js';
import { exactLines } from './exactLines.js';

/** Lines of JSON as a relation of text: put into the directory, those aside that cannot be read. */
export const linesRelation = async (
  lines: AsyncIterable<Buffer>,
  columns: readonly Column[],
  maxRowBytes: number,
  directory: string,
  { signal }: CallContext,
): Promise<Relation> => {
  const guarded = guardRows(lines, { maxRowBytes, dialect: lineDialect });
  const exact = exactLines(guarded.chunks, columns);
  const path = join(directory, `${randomUUID()}.rows`);
  await writeFileFrom(exact.chunks, path, signal);
  const { rows, bytes } = guarded.counts();
  const text = {
    path,
    names: [],
    rows,
    rejected: guarded.rejected(),
    longestRow: exact.longest(),
  };
  const members = columns.map(({ name, member }) => member ?? name);
  const pieces = [linesPiece(text, { columns, members, jsonAsText: true }, 0)];
  const rejectedSql = rejectedSqlOf(pieces);
  return {
    sql: pieces.map(({ sql }) => sql).join(' UNION ALL '),
    reads: [],
    columns,
    held: 'text',
    bytes,
    kept: keptRows(pieces),
    ...(rejectedSql === undefined ? {} : { rejectedSql }),
    rejectedRows: (answer) => rejectedRowsOf(pieces, answer),
  };
};
