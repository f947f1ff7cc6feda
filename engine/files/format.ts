import { RunFailure } from '../../core/failures.js';
import type { FileFormat } from '../../core/nodes/filePaths.js';
import type { SourceFilesConfig } from '../../core/nodes/sourceFiles.js';

export type Compression = 'none' | 'gzip' | 'zstd';

export type Encoding = 'utf-8' | 'utf-16' | 'latin-1';

/** How the bytes of files are text. Absent compression: by the end of each file's name. */
export interface Packing {
  compression?: Compression;
  encoding: Encoding;
}

export const packingOf = ({ options = {} }: SourceFilesConfig): Packing => ({
  encoding: options.encoding ?? 'utf-8',
  ...(options.compression === undefined ? {} : { compression: options.compression }),
});

export const compressionOf = (key: string, { compression }: Packing): Compression => {
  if (compression !== undefined) return compression;
  if (/\.(gz|gzip)$/i.test(key)) return 'gzip';
  return /\.(zst|zstd)$/i.test(key) ? 'zstd' : 'none';
};

const formats: Readonly<Record<string, FileFormat>> = {
  csv: 'csv',
  tsv: 'csv',
  json: 'json',
  jsonl: 'jsonl',
  ndjson: 'jsonl',
  parquet: 'parquet',
};

/** What the end of a name says of the format, compression left aside. */
const formatByName = (key: string): FileFormat | undefined => {
  const bare = key.toLowerCase().replace(/\.(gz|gzip|zst|zstd)$/, '');
  const extension = /\.([a-z]+)$/.exec(bare)?.[1] ?? '';
  return Object.hasOwn(formats, extension) ? formats[extension] : undefined;
};

const refused = (message: string): RunFailure =>
  new RunFailure({ code: 'config_invalid', class: 'config', message });

/** One format for all files of a node: as configured, else as all their names say. */
export const formatOf = (
  { format, path }: SourceFilesConfig,
  keys: readonly string[],
): FileFormat => {
  if (format) return format;
  const found = new Set(keys.map(formatByName));
  const [only] = found;
  if (only && found.size === 1) return only;
  const odd = keys.find((key) => !formatByName(key));
  throw refused(
    odd === undefined
      ? `Files of several formats match ${path}: make the path match those of one.`
      : `The name ${odd} does not say which format the file has: set format.`,
  );
};
