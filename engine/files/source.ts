/** `source.files`: the files of a store as a source, whatever holds them. */
import type { SourceFilesConfig } from '../../core/nodes/sourceFiles.js';
import type { CallContext } from '../../connectors/connector.js';
import type { MakeScratch } from '../staging/scratch.js';
import { csvInPlace } from './csvInPlace.js';
import { fileRangeOf } from './fileRange.js';
import { formatOf } from './format.js';
import type { FileDeps } from './localFiles.js';
import { readFiles } from './readBulk.js';
import { readRelation } from './readRelation.js';
import type { RelationSource } from './relation.js';
import { planSplits } from './splits.js';
import { matchingFiles, surveyFiles } from './survey.js';
import type { Survey } from './survey.js';

export interface FilesSourceDeps extends FileDeps {
  scratch: MakeScratch;
}

export const makeFilesSource = (deps: FilesSourceDeps): RelationSource<SourceFilesConfig> => {
  const inScratch = async <Result>(work: (directory: string) => Promise<Result>) => {
    const scratch = await deps.scratch('files');
    try {
      return await work(scratch.path);
    } finally {
      await scratch.remove();
    }
  };
  const survey = (config: SourceFilesConfig, ctx: CallContext): Promise<Survey> =>
    inScratch((directory) => surveyFiles(deps, config, directory, ctx));

  return {
    formats: ['csv'],

    facts: async ({ config }, ctx) => {
      const { columns, files, rows } = await survey(config, ctx);
      return {
        columns,
        ...(rows === undefined ? {} : { rows }),
        bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
        // A file that changes in between is refused: each row is read once, as it was planned.
        consistencies: ['per_row', 'single'],
      };
    },

    splits: async ({ config }, options, ctx) => {
      const found = await survey(config, ctx);
      return inScratch((directory) => planSplits(deps, found, options, directory, ctx));
    },

    readBulk: (_request, range, _options, ctx) => readFiles(deps, fileRangeOf(range), ctx),

    held: async ({ config }, ctx) => {
      const files = await matchingFiles(deps.store, config.path, ctx);
      const keys = files.map(({ key }) => key);
      return formatOf(config, keys) === 'parquet' ? 'typed' : 'text';
    },

    unproven: (_request, range, ctx) => csvInPlace(deps, fileRangeOf(range), ctx),

    relation: (_request, range, directory, ctx) =>
      readRelation(deps, fileRangeOf(range), directory, ctx),
  };
};
