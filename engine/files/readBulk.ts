import { join } from 'node:path';
import type { BadRow, BulkRead, CallContext, Column, Counts } from '../../connectors/connector.js';
import { bulkDialect } from '../csv/dialect.js';
import { guardRows } from '../csv/guardRows.js';
import type { MakeScratch } from '../staging/scratch.js';
import { isStraight, openCsv } from './csvFile.js';
import { columnsOfRange } from './fileRange.js';
import type { FilePart, FileRange } from './fileRange.js';
import { compressionOf } from './format.js';
import { fileChunks } from './localFiles.js';
import type { FileDeps } from './localFiles.js';
import { readRelation } from './readRelation.js';
import type { Relation } from './relation.js';
import { toText } from '../transform/toText.js';
import { quoteName, quoteText } from '../duckdb/quote.js';

export interface BulkDeps extends FileDeps {
  scratch: MakeScratch;
}

/** Rows of one file in the bulk csv, and what is known once they have been read. */
interface FileRows {
  chunks: AsyncIterable<Buffer>;
  counts: () => Counts;
  rejected: () => readonly BadRow[];
}

/** As PostgreSQL writes it, and reads it without a loss. */
const bulkValue = ({ name, type }: Column, held: Relation['held']): string =>
  held === 'typed' ? toText(quoteName(name), type) : quoteName(name);

/** Through DuckDB, for what is no csv of ours yet. */
const converted = async (
  deps: BulkDeps,
  range: FileRange,
  part: FilePart,
  directory: string,
  ctx: CallContext,
): Promise<FileRows> => {
  const relation = await readRelation(deps, { ...range, files: [part] }, directory, ctx);
  const { sql, reads, columns, held, kept, rejectedSql } = relation;
  const path = join(directory, 'converted.csv');
  const values = columns.map((column) => bulkValue(column, held)).join(', ');
  const copy = `COPY (SELECT ${values} FROM (${sql})) TO ${quoteText(path)} (FORMAT csv, HEADER false)`;
  const statements = [copy, ...(rejectedSql === undefined ? [] : [rejectedSql])];
  const [, answer] = await deps.duckdb.run(
    { directory, reads, statements: statements.map((one) => ({ sql: one })) },
    ctx.signal,
  );
  const rejected = [...kept, ...(answer ? relation.rejectedRows(answer) : [])];
  const guarded = guardRows(fileChunks(path), {
    maxRowBytes: deps.maxRowBytes,
    dialect: bulkDialect,
    fields: columns.length,
  });
  return {
    chunks: guarded.chunks,
    counts: guarded.counts,
    rejected: () => [...rejected, ...guarded.rejected()],
  };
};

const rowsOf = async (
  deps: BulkDeps,
  range: FileRange,
  part: FilePart,
  directory: string,
  ctx: CallContext,
): Promise<FileRows> => {
  if (range.format === 'csv' && compressionOf(part.key, range.packing) !== 'zstd') {
    const { names, guarded } = await openCsv(deps, range, part, directory, ctx);
    if (isStraight(names, range)) return guarded;
  }
  return converted(deps, range, part, directory, ctx);
};

/** The rows of a split in the bulk csv: as they are where they are that, else through DuckDB. */
export const readFiles = (deps: BulkDeps, range: FileRange, ctx: CallContext): BulkRead => {
  const counts: Counts = { rows: 0, bytes: 0 };
  const rejected: BadRow[] = [];
  let current: FileRows | undefined;

  /** Takes what the current file has come to into what all have. */
  const settle = (): void => {
    if (!current) return;
    const { rows, bytes } = current.counts();
    const start = counts.rows + rejected.length;
    rejected.push(...current.rejected().map((bad) => ({ ...bad, row: bad.row + start })));
    counts.rows += rows;
    counts.bytes += bytes;
    current = undefined;
  };

  async function* chunks(): AsyncGenerator<Buffer> {
    for (const part of range.files) {
      ctx.signal.throwIfAborted();
      const scratch = await deps.scratch('files');
      try {
        current = await rowsOf(deps, range, part, scratch.path, ctx);
        for await (const chunk of current.chunks) {
          yield chunk;
          ctx.signal.throwIfAborted();
        }
        settle();
      } finally {
        await scratch.remove();
      }
    }
  }

  return {
    format: 'csv',
    columns: columnsOfRange(range),
    chunks: chunks(),
    counts: () => {
      const now = current?.counts() ?? { rows: 0, bytes: 0 };
      return { rows: counts.rows + now.rows, bytes: counts.bytes + now.bytes };
    },
    rejected: () => rejected,
  };
};
