import type { CallContext, Column } from '../../connectors/connector.js';
import { duckType } from '../duckdb/types.js';
import type { FilePart } from './fileRange.js';
import { readablePath } from './localFiles.js';
import type { FileDeps } from './localFiles.js';
import type { Piece } from './pieces.js';
import { quoteName, quoteText } from '../duckdb/quote.js';

/** A Parquet file in DuckDB: its values have types, and those of several files are made one. */
export const parquetPiece = async (
  { store, duckdb }: FileDeps,
  columns: readonly Column[],
  part: FilePart,
  number: number,
  directory: string,
  ctx: CallContext,
): Promise<Piece> => {
  const path = await readablePath(store, part, directory, `${number}.parquet`, ctx);
  const reads = path.startsWith(`${directory}/`) ? [] : [path];
  const rows = part.to === undefined ? '' : ', file_row_number = true';
  const file = `read_parquet(${quoteText(path)}, hive_partitioning = false${rows})`;
  const describe = { sql: `DESCRIBE SELECT * FROM ${file}` };
  const [answer] = await duckdb.run({ directory, reads, statements: [describe] }, ctx.signal);
  const own = new Map(
    (answer?.rows ?? []).map(([name, type]) => [
      String(name).toLowerCase(),
      { name: String(name), type: String(type) },
    ]),
  );
  const selected = columns.map(({ name, type }) => {
    const found = own.get(name.toLowerCase());
    const value = found === undefined ? 'NULL' : quoteName(found.name);
    // What is JSON already would have its numbers written anew.
    const nested = type.kind === 'json' && found !== undefined && found.type !== 'JSON';
    const typed = nested ? `to_json(${value})` : `CAST(${value} AS ${duckType(type)})`;
    return `${typed} AS ${quoteName(name)}`;
  });
  const bounds =
    part.to === undefined
      ? ''
      : ` WHERE file_row_number >= ${part.from ?? 0} AND file_row_number < ${part.to}`;
  return {
    sql: `SELECT ${selected.join(', ')} FROM ${file}${bounds}`,
    ...(reads.length > 0 ? { reads: path } : {}),
  };
};
