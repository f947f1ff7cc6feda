import type { CallContext } from '../../connectors/connector.js';
import type { Store, StoreFile } from '../../connectors/store.js';
import type { SourceFilesConfig } from '../../core/nodes/sourceFiles.js';
import { beginningOf } from './contents.js';
import { jsonLines } from './jsonLines.js';
import { plainText } from './localFiles.js';
import type { FileDeps } from './localFiles.js';
import { matching } from './matching.js';
import { surveyFiles } from './survey.js';
import type { Survey } from './survey.js';

/** So many files say what the others are. */
const filesToLookAt = 4;

/** Rows beyond are not waited for. */
const beginningBytes = 4 * 1024 * 1024;
const beginningLines = 20_480;

export type FilesWanted = Pick<SourceFilesConfig, 'path' | 'format'>;

/** The first files that a path means; none where there are none. */
const firstFiles = async (store: Store, path: string, ctx: CallContext): Promise<StoreFile[]> => {
  const files: StoreFile[] = [];
  for await (const file of matching(store, path, ctx)) {
    files.push(file);
    if (files.length === filesToLookAt) break;
  }
  return files;
};

/** A store of these files only. */
const only = (store: Store, files: readonly StoreFile[]): Store => ({
  ...store,
  list: async function* () {
    yield* files;
  },
});

/** What the first files at a path are; undefined where no file is there. */
export const surveyFirst = async (
  deps: FileDeps,
  wanted: FilesWanted,
  directory: string,
  ctx: CallContext,
): Promise<Survey | undefined> => {
  const files = await firstFiles(deps.store, wanted.path, ctx);
  if (files.length === 0) return undefined;
  const config: SourceFilesConfig = { connectionId: '', ...wanted };
  return surveyFiles({ ...deps, store: only(deps.store, files) }, config, directory, ctx);
};

/** Whole lines at the beginning of a text file, plain and in UTF-8; documents of JSON as lines. */
export const beginningOfText = async (
  deps: FileDeps,
  { format, packing }: Survey,
  file: StoreFile,
  directory: string,
  ctx: CallContext,
): Promise<{ text: Buffer; whole: boolean }> => {
  const some = { packing, before: 0, lines: beginningLines };
  const chunks =
    format === 'json'
      ? await jsonLines(deps, file, some, directory, ctx)
      : (await plainText(deps, file, some, directory, ctx)).open();
  const { bytes, whole } = await beginningOf(chunks, beginningBytes);
  return { text: whole ? bytes : bytes.subarray(0, bytes.lastIndexOf(10) + 1), whole };
};

const readOnly = (): never => {
  throw new TypeError('what is held of a file can only be read');
};

/** One file, held in memory. */
export const storeOf = (file: StoreFile, text: Buffer): Store => ({
  stat: async () => file,
  read: async function* (_key, { from, to }) {
    yield text.subarray(from, to);
  },
  list: readOnly,
  write: readOnly,
  rename: readOnly,
  remove: readOnly,
});
