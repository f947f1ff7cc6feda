import type { SourceFilesConfig } from '../nodes/sourceFiles.js';
import type { StageEnd } from './stage.js';

/**
 * Whether a query can read what a source has where it lies. Parquet says itself what is in it: no
 * row can be malformed, and none fails on its way to a type unless the user has listed other types.
 * Rows of text are read one by one first, so that those at fault can be set aside.
 */
export const readInPlace = ({ type, config }: StageEnd): boolean => {
  if (type !== 'source.files') return false;
  const { format, path, options } = config as SourceFilesConfig;
  if (options?.columns) return false;
  return format === undefined ? /\.parquet$/i.test(path) : format === 'parquet';
};
