/** A look into files for somebody who waits: their columns, and some of their first rows. */
import type { Rows } from '../../core/browse.js';
import type { CallContext } from '../../connectors/connector.js';
import type { StoreFile } from '../../connectors/store.js';
import type { MakeScratch } from '../staging/scratch.js';
import { beginningOfText, storeOf, surveyFirst } from './beginning.js';
import type { FilesWanted } from './beginning.js';
import { typeWord } from './fileRange.js';
import type { FileRange } from './fileRange.js';
import type { FileDeps } from './localFiles.js';
import { readRelation } from './readRelation.js';
import type { Relation } from './relation.js';
import { showRelation } from './showRelation.js';
import type { Survey } from './survey.js';

interface PreviewDeps extends FileDeps {
  scratch: MakeScratch;
}

const rangeOf = (survey: Survey, file: StoreFile): FileRange => {
  const { format, packing, columns, listed, csv, members } = survey;
  return {
    format,
    packing,
    listed,
    files: [{ key: file.key, etag: file.etag, bytes: file.bytes }],
    columns: columns.map(({ name, type }) => [name, typeWord(type)] as const),
    ...(csv === undefined ? {} : { csv }),
    ...(format === 'json' || format === 'jsonl' ? { members } : {}),
  };
};

/** The beginning of a file as DuckDB reads it. */
const relationOf = async (
  deps: FileDeps,
  survey: Survey,
  file: StoreFile,
  directory: string,
  ctx: CallContext,
): Promise<{ relation: Relation; whole: boolean }> => {
  const range = rangeOf(survey, file);
  if (survey.format === 'parquet') {
    return { relation: await readRelation(deps, range, directory, ctx), whole: true };
  }
  const { text, whole: all } = await beginningOfText(deps, survey, file, directory, ctx);
  const plain: FileRange = {
    ...range,
    format: survey.format === 'csv' ? 'csv' : 'jsonl',
    packing: { encoding: 'utf-8', compression: 'none' },
  };
  const held = { ...deps, store: storeOf(file, text) };
  return { relation: await readRelation(held, plain, directory, ctx), whole: all };
};

const inScratch = async <Result>(
  { scratch }: PreviewDeps,
  work: (directory: string) => Promise<Result>,
): Promise<Result> => {
  const { path, remove } = await scratch('look');
  try {
    return await work(path);
  } finally {
    await remove();
  }
};

/** Format and columns of the files at a path; undefined where no file is there. */
export const surveyBeginning = (
  deps: PreviewDeps,
  wanted: FilesWanted,
  ctx: CallContext,
): Promise<Survey | undefined> =>
  inScratch(deps, (directory) => surveyFirst(deps, wanted, directory, ctx));

/** Rows of the first file at a path that is not empty; undefined where no file is there. */
export const previewFiles = (
  deps: PreviewDeps,
  wanted: FilesWanted,
  rows: number,
  ctx: CallContext,
): Promise<Rows | undefined> =>
  inScratch(deps, async (directory) => {
    const survey = await surveyFirst(deps, wanted, directory, ctx);
    const file = survey?.files.find(({ bytes }) => bytes > 0) ?? survey?.files[0];
    if (!survey || !file) return undefined;
    const { relation, whole: all } = await relationOf(deps, survey, file, directory, ctx);
    const shown = await showRelation(deps.duckdb, relation, rows, directory, ctx);
    const more = !all || survey.files.length > 1;
    return { ...shown, truncated: shown.truncated || more };
  });
