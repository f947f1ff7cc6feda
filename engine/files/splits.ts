import type { CallContext, SplitOptions, SplitPlan } from '../../connectors/connector.js';
import type { StoreFile } from '../../connectors/store.js';
import { csvParts } from './csvSplits.js';
import { asSplitRange, typeWord } from './fileRange.js';
import type { FilePart, FileRange } from './fileRange.js';
import type { FileDeps } from './localFiles.js';
import { parquetParts } from './parquetSplits.js';
import type { Survey } from './survey.js';

/** More small files than this are not read as one. */
const mostFilesInOne = 256;

const wholeOf = ({ key, etag, bytes }: StoreFile): FilePart => ({ key, etag, bytes });

const partsOf = async (
  deps: FileDeps,
  survey: Survey,
  file: StoreFile,
  options: SplitOptions,
  directory: string,
  ctx: CallContext,
): Promise<FilePart[]> => {
  ctx.signal.throwIfAborted();
  const { targetBytes } = options;
  if (survey.format === 'csv') return csvParts(deps, survey, file, options, ctx);
  if (survey.format === 'parquet') return parquetParts(deps, file, targetBytes, directory, ctx);
  return [wholeOf(file)];
};

/** Cuts large files and puts small ones together. */
const groupsOf = async (
  deps: FileDeps,
  survey: Survey,
  options: SplitOptions,
  directory: string,
  ctx: CallContext,
): Promise<FilePart[][]> => {
  const { targetBytes } = options;
  const groups: FilePart[][] = [];
  let small: FilePart[] = [];
  let bytes = 0;
  const close = (): void => {
    if (small.length > 0) groups.push(small);
    small = [];
    bytes = 0;
  };
  for (const file of survey.files) {
    const parts = await partsOf(deps, survey, file, options, directory, ctx);
    if (parts.length > 1 || parts[0]?.plain) {
      close();
      groups.push(...parts.map((part) => [part]));
      continue;
    }
    if (bytes + file.bytes > targetBytes || small.length === mostFilesInOne) close();
    small.push(...parts);
    bytes += file.bytes;
  }
  close();
  return groups;
};

export const planSplits = async (
  deps: FileDeps,
  survey: Survey,
  options: SplitOptions,
  directory: string,
  ctx: CallContext,
): Promise<SplitPlan> => {
  const groups =
    options.consistency === 'single'
      ? [survey.files.map(wholeOf)]
      : await groupsOf(deps, survey, options, directory, ctx);
  const { format, packing, listed, csv, members } = survey;
  const columns = survey.columns.map(({ name, type }) => [name, typeWord(type)] as const);
  const json = format === 'json' || format === 'jsonl';
  const frame = {
    format,
    packing,
    listed,
    columns,
    ...(csv === undefined ? {} : { csv }),
    ...(json ? { members } : {}),
  };
  return {
    ranges: groups.map((files): Readonly<Record<string, unknown>> => {
      const range: FileRange = { ...frame, files, splits: groups.length };
      return asSplitRange(range);
    }),
  };
};
