import type { CallContext, Column } from '../../connectors/connector.js';
import type { Store, StoreFile } from '../../connectors/store.js';
import { RunFailure } from '../../core/failures.js';
import type { FileFormat } from '../../core/nodes/filePaths.js';
import type { SourceFilesConfig } from '../../core/nodes/sourceFiles.js';
import type { CsvLayout } from './csvSample.js';
import { columnOf } from './fileRange.js';
import { formatOf, packingOf } from './format.js';
import type { Packing } from './format.js';
import type { FileDeps } from './localFiles.js';
import { matching } from './matching.js';
import { sampleCsvFiles } from './sampleCsvFiles.js';
import { sampleJsonFiles } from './sampleJsonFiles.js';
import { sampleParquetFiles } from './sampleParquetFiles.js';

/** What the files of a node are, found out once for a run. */
export interface Survey {
  format: FileFormat;
  packing: Packing;
  files: readonly StoreFile[];
  columns: readonly Column[];
  /** The user listed the columns. */
  listed: boolean;
  csv?: CsvLayout;
  members: readonly string[];
  /** An estimate. */
  rows?: number;
}

/** What is to be looked into. */
export interface Sampling {
  config: SourceFilesConfig;
  /** Whole documents of JSON, not lines of it. */
  json: boolean;
}

/** What samples say. */
export interface Sampled {
  columns: readonly Column[];
  csv?: CsvLayout;
  /** Of JSON objects, the member that each column is. */
  members?: readonly string[];
  rows?: number;
}

/** So many files are looked into; what further ones hold has to fit. */
const filesToSample = 32;

const mostFiles = 1_000_000;

const refused = (message: string): RunFailure =>
  new RunFailure({ code: 'config_invalid', class: 'config', message });

export const matchingFiles = async (
  store: Store,
  path: string,
  ctx: CallContext,
): Promise<StoreFile[]> => {
  const files: StoreFile[] = [];
  for await (const file of matching(store, path, ctx)) {
    files.push(file);
    if (files.length > mostFiles) throw refused(`More than ${mostFiles} files match ${path}.`);
  }
  if (files.length === 0) throw refused(`No file matches ${path}.`);
  return files;
};

const samplers = {
  csv: sampleCsvFiles,
  json: sampleJsonFiles,
  jsonl: sampleJsonFiles,
  parquet: sampleParquetFiles,
};

export const surveyFiles = async (
  deps: FileDeps,
  config: SourceFilesConfig,
  directory: string,
  ctx: CallContext,
): Promise<Survey> => {
  const packing = packingOf(config);
  const files = await matchingFiles(deps.store, config.path, ctx);
  const format = formatOf(
    config,
    files.map(({ key }) => key),
  );
  const sample = samplers[format];
  const first = files.slice(0, filesToSample);
  const sampled = await sample(deps, first, { config, json: format === 'json' }, directory, ctx);
  const listed = config.options?.columns?.map(({ name, type }) => columnOf(name, type));
  const columns = listed ?? sampled.columns;
  if (columns.length === 0) throw refused(`The files at ${config.path} have no columns.`);
  const { csv, rows } = sampled;
  return {
    format,
    packing,
    files,
    columns,
    listed: listed !== undefined,
    members: (listed ? undefined : sampled.members) ?? columns.map(({ name }) => name),
    ...(csv === undefined ? {} : { csv }),
    ...(rows === undefined ? {} : { rows: Math.round((rows * files.length) / sampledOf(files)) }),
  };
};

const sampledOf = (files: readonly StoreFile[]): number => Math.min(files.length, filesToSample);
