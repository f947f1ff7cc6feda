import type { CallContext } from '../../connectors/connector.js';
import type { StoreFile } from '../../connectors/store.js';
import type { FilePart } from './fileRange.js';
import { readablePath } from './localFiles.js';
import type { FileDeps } from './localFiles.js';
import { quoteText } from '../duckdb/quote.js';

/** A Parquet file in parts of whole row groups. */
export const parquetParts = async (
  { store, duckdb }: FileDeps,
  { key, etag, bytes }: StoreFile,
  targetBytes: number,
  directory: string,
  ctx: CallContext,
): Promise<FilePart[]> => {
  // Elsewhere every part would be fetched as the whole file.
  if (!store.localPath || bytes <= targetBytes * 1.5) return [{ key, etag, bytes }];
  const path = await readablePath(store, { key, etag, bytes }, directory, 'groups.parquet', ctx);
  const sql =
    `SELECT any_value(row_group_num_rows), sum(total_compressed_size) ` +
    `FROM parquet_metadata(${quoteText(path)}) GROUP BY row_group_id ORDER BY row_group_id`;
  const program = { directory, reads: [path], statements: [{ sql }] };
  const [groups] = await duckdb.run(program, ctx.signal);
  const parts: FilePart[] = [];
  let from = 0;
  let rows = 0;
  let size = 0;
  for (const [groupRows, groupBytes] of groups?.rows ?? []) {
    rows += Number(groupRows);
    size += Number(groupBytes);
    if (size < targetBytes) continue;
    parts.push({ key, etag, bytes: size, from, to: rows });
    from = rows;
    size = 0;
  }
  if (rows > from) parts.push({ key, etag, bytes: size, from, to: rows });
  return parts.length > 1 ? parts : [{ key, etag, bytes }];
};
