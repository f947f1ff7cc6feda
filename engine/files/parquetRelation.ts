import type { CallContext, Column } from '../../connectors/connector.js';
import { duckType } from '../duckdb/types.js';
import type { FilePart } from './fileRange.js';
import { readablePath } from './localFiles.js';
import type { FileDeps } from './localFiles.js';
import type { Piece } from './pieces.js';
import { quoteName, quoteText } from '../duckdb/quote.js';

/** Schemas that are asked for at once: answers are held in memory. */
const filesAtOnce = 256;

interface ParquetFile {
  path: string;
  part: FilePart;
  /** As `read_parquet` has them. */
  columns: readonly { name: string; type: string }[];
}

const fromFiles = (paths: readonly string[], options: string): string =>
  `read_parquet([${paths.map(quoteText).join(', ')}], hive_partitioning = false${options})`;

const schemasOf = async (
  { duckdb }: FileDeps,
  files: readonly { path: string; part: FilePart }[],
  directory: string,
  ctx: CallContext,
): Promise<ParquetFile[]> => {
  const reads = outside(directory, files);
  const statements = files.map(({ path }) => ({
    sql: `DESCRIBE SELECT * FROM ${fromFiles([path], '')}`,
  }));
  const answers = await duckdb.run({ directory, reads, statements }, ctx.signal);
  return files.map((file, index) => ({
    ...file,
    columns: (answers[index]?.rows ?? []).map(([name, type]) => ({
      name: String(name),
      type: String(type),
    })),
  }));
};

const outside = (directory: string, files: readonly { path: string }[]): string[] =>
  files.flatMap(({ path }) => (path.startsWith(`${directory}/`) ? [] : [path]));

/** Files in a row that are alike, and to be read as a whole. */
const groupsOf = (files: readonly ParquetFile[]): ParquetFile[][] => {
  const groups: ParquetFile[][] = [];
  let alike = '';
  for (const file of files) {
    const like = file.part.to === undefined ? JSON.stringify(file.columns) : '';
    if (like !== '' && like === alike) groups.at(-1)?.push(file);
    else groups.push([file]);
    alike = like;
  }
  return groups;
};

const pieceOf = (
  columns: readonly Column[],
  files: readonly ParquetFile[],
  directory: string,
): Piece => {
  const [first] = files;
  const { from = 0, to } = first?.part ?? {};
  const own = new Map((first?.columns ?? []).map((one) => [one.name.toLowerCase(), one]));
  const selected = columns.map(({ name, type }) => {
    const found = own.get(name.toLowerCase());
    const value = found === undefined ? 'NULL' : quoteName(found.name);
    // What is JSON already would have its numbers written anew.
    const nested = type.kind === 'json' && found !== undefined && found.type !== 'JSON';
    const typed = nested ? `to_json(${value})` : `CAST(${value} AS ${duckType(type)})`;
    return `${typed} AS ${quoteName(name)}`;
  });
  const paths = files.map(({ path }) => path);
  const numbered = fromFiles(paths, to === undefined ? '' : ', file_row_number = true');
  const bounds =
    to === undefined ? '' : ` WHERE file_row_number >= ${from} AND file_row_number < ${to}`;
  return {
    sql: `SELECT ${selected.join(', ')} FROM ${numbered}${bounds}`,
    reads: outside(directory, files),
  };
};

/** Parquet files in DuckDB: their values have types, and those of several files are made one. */
export const parquetPieces = async (
  deps: FileDeps,
  columns: readonly Column[],
  parts: readonly FilePart[],
  directory: string,
  ctx: CallContext,
): Promise<Piece[]> => {
  const found: { path: string; part: FilePart }[] = [];
  for (const [number, part] of parts.entries()) {
    ctx.signal.throwIfAborted();
    const path = await readablePath(deps.store, part, directory, `${number}.parquet`, ctx);
    found.push({ path, part });
  }
  const files: ParquetFile[] = [];
  for (let from = 0; from < found.length; from += filesAtOnce) {
    const some = found.slice(from, from + filesAtOnce);
    files.push(...(await schemasOf(deps, some, directory, ctx)));
  }
  return groupsOf(files).map((group) => pieceOf(columns, group, directory));
};
