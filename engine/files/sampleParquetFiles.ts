import type { CallContext, Column } from '../../connectors/connector.js';
import type { StoreFile } from '../../connectors/store.js';
import type { DataType } from '../../core/dataTypes.js';
import { dataTypeOf } from '../duckdb/types.js';
import type { FileDeps } from './localFiles.js';
import { footerOnly } from './parquetFooter.js';
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
  const paths: string[] = [];
  for (const [index, file] of files.entries()) {
    paths.push(await footerOnly(store, file, directory, `sample-${index}.parquet`, ctx));
  }
  const reads = paths.filter((path) => !path.startsWith(`${directory}/`));
  const read = paths.map(quoteText);
  const statements = [
    `SELECT sum(num_rows) FROM parquet_file_metadata([${read.join(', ')}])`,
    ...read.map(
      (path) => `DESCRIBE SELECT * FROM read_parquet(${path}, hive_partitioning = false)`,
    ),
  ].map((sql) => ({ sql }));
  const [sizes, ...schemas] = await duckdb.run({ directory, reads, statements }, ctx.signal);
  const merged = new Map<string, { name: string; type: DataType }>();
  for (const { rows } of schemas) {
    for (const [name, word] of rows) {
      const type = dataTypeOf(String(word));
      const id = String(name).toLowerCase();
      const known = merged.get(id);
      if (known) known.type = widerType(known.type, type);
      else merged.set(id, { name: String(name), type });
    }
  }
  const columns = [...merged.values()].map((column): Column => ({ ...column, nullable: true }));
  return { columns, rows: Number(sizes?.rows[0]?.[0] ?? 0) };
};
