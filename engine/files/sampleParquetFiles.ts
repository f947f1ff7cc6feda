import type { CallContext, Column } from '../../connectors/connector.js';
import type { StoreFile } from '../../connectors/store.js';
import type { DataType } from '../../core/dataTypes.js';
import { dataTypeOf } from '../duckdb/types.js';
import { readablePath } from './localFiles.js';
import type { FileDeps } from './localFiles.js';
import { quoteText } from '../duckdb/quote.js';
import type { Sampled, Sampling } from './survey.js';
import { widerType } from './widerType.js';

/** Reads the schemas, which Parquet files have in their ends. */
export const sampleParquetFiles = async (
  { store, duckdb }: FileDeps,
  files: readonly StoreFile[],
  _sampling: Sampling,
  directory: string,
  ctx: CallContext,
): Promise<Sampled> => {
  const merged = new Map<string, { name: string; type: DataType }>();
  let rows = 0;
  for (const [index, file] of files.entries()) {
    const path = await readablePath(store, file, directory, `sample-${index}.parquet`, ctx);
    const reads = path.startsWith(`${directory}/`) ? [] : [path];
    const read = `read_parquet(${quoteText(path)}, hive_partitioning = false)`;
    const statements = [
      { sql: `DESCRIBE SELECT * FROM ${read}` },
      { sql: `SELECT sum(num_rows) FROM parquet_file_metadata(${quoteText(path)})` },
    ];
    const [schema, sizes] = await duckdb.run({ directory, reads, statements }, ctx.signal);
    for (const [name, word] of schema?.rows ?? []) {
      const type = dataTypeOf(String(word));
      const id = String(name).toLowerCase();
      const known = merged.get(id);
      if (known) known.type = widerType(known.type, type);
      else merged.set(id, { name: String(name), type });
    }
    rows += Number(sizes?.rows[0]?.[0] ?? 0);
  }
  const columns = [...merged.values()].map((column): Column => ({ ...column, nullable: true }));
  return { columns, rows };
};
