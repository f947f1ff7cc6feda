import { join } from 'node:path';
import type { Column } from '../../connectors/connector.js';
import type { FileFormat } from '../../core/nodes/filePaths.js';
import type { DestinationFilesConfig } from '../../core/nodes/destinationFiles.js';
import type { DuckStatement } from '../duckdb/program.js';
import { quoteName, quoteText } from '../duckdb/quote.js';
import type { Held } from './relation.js';

export interface CopyRequest<Config = DestinationFilesConfig> {
  config: Config;
  /** A SELECT of the columns, held as `heldFor` says of the format. */
  sql: string;
  columns: readonly Column[];
  /** The program's directory. */
  directory: string;
}

/** csv takes values as their source writes them; the other formats have types of their own. */
export const heldFor = (format: FileFormat): Held => (format === 'csv' ? 'text' : 'typed');

/** What the statement writes below the program's directory: a directory of it, or a file. */
export const outputName = 'output';

const packed: Readonly<Record<string, string>> = { gzip: '.gz', zstd: '.zst' };

const extensionOf = ({ format, compression = 'none' }: DestinationFilesConfig): string =>
  // Parquet compresses within.
  format === 'parquet' ? '.parquet' : `.${format}${packed[compression] ?? ''}`;

const optionsOf = ({ format, compression }: DestinationFilesConfig): string[] => {
  if (format === 'parquet') {
    const codec = compression === 'none' ? 'uncompressed' : (compression ?? 'zstd');
    return ['FORMAT parquet', `COMPRESSION ${quoteText(codec)}`];
  }
  const shape = {
    csv: ['FORMAT csv', 'HEADER true'],
    json: ['FORMAT json', 'ARRAY true'],
    jsonl: ['FORMAT json', 'ARRAY false'],
  };
  return [...shape[format], `COMPRESSION ${quoteText(compression ?? 'none')}`];
};

/** Values as the format writes them, where DuckDB would write what others do not read. */
const valueFor = (format: FileFormat, { name, type }: Column): string => {
  const value = quoteName(name);
  const named = (expression: string): string => `${expression} AS ${value}`;
  if (format === 'json' || format === 'jsonl') {
    if (type.kind === 'bytes') return named(`to_base64(${value})`);
    // JSON has no such numbers; as texts they are not lost.
    if (['real', 'double', 'numeric'].includes(type.kind) || isWide(type)) {
      const odd = `NOT isfinite(${value})`;
      return named(`CASE WHEN ${odd} THEN to_json(${value}::VARCHAR) ELSE to_json(${value}) END`);
    }
  }
  return value;
};

/** Held as a double, since DuckDB has no decimal that wide. */
const isWide = (type: Column['type']): boolean => type.kind === 'decimal' && type.precision > 38;

/**
 * Has DuckDB write the rows of a split into the directory's output. Partition columns go into the
 * names of directories only.
 */
export const copyToFiles = ({ config, sql, columns, directory }: CopyRequest): DuckStatement => {
  const values = columns.map((column) => valueFor(config.format, column)).join(', ');
  const target = join(directory, outputName);
  const extension = extensionOf(config);
  const partitions = config.partitionBy ?? [];
  const options = optionsOf(config);
  if (partitions.length > 0) {
    options.push(`PARTITION_BY (${partitions.map(quoteName).join(', ')})`);
    options.push(`FILENAME_PATTERN 'data_{i}'`, `FILE_EXTENSION ${quoteText(extension.slice(1))}`);
  }
  const path = partitions.length > 0 ? target : `${target}${extension}`;
  return {
    sql: `COPY (SELECT ${values} FROM (${sql})) TO ${quoteText(path)} (${options.join(', ')})`,
  };
};
