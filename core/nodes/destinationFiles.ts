import { Type } from '@sinclair/typebox';
import type { Static } from '@sinclair/typebox';
import type { Issue } from '../errors.js';
import { checkColumnList } from './columnNames.js';
import { columnListSchema, connectionIdSchema, maxErrorsSchema, wordSchema } from './fields.js';
import { checkPath, fileFormats, longestPath } from './filePaths.js';
import type { FileFormat } from './filePaths.js';
import type { NodeType } from './nodeType.js';

const compressions = ['none', 'gzip', 'zstd', 'snappy'] as const;

const config = Type.Object({
  connectionId: connectionIdSchema('A connection to a store of files'),
  path: Type.String({
    minLength: 1,
    maxLength: longestPath,
    description: 'The directory that the files are written to',
    errorMessage: `Expected a path of 1 to ${longestPath} characters.`,
  }),
  format: wordSchema(fileFormats),
  partitionBy: Type.Optional(
    columnListSchema('A directory for each value of these columns (column=value)', { minItems: 0 }),
  ),
  compression: Type.Optional(
    wordSchema(compressions, { description: 'snappy is for parquet only' }),
  ),
  maxErrors: Type.Optional(maxErrorsSchema()),
});

export type DestinationFilesConfig = Static<typeof config>;

const compressionsOf = (format: FileFormat): readonly string[] =>
  format === 'parquet' ? compressions : compressions.filter((word) => word !== 'snappy');

const checkDirectory = (path: string, pointer: string): Issue[] => {
  const issues = checkPath(path, pointer);
  if (issues.length > 0 || !/[*?[\]{}]/.test(path)) return issues;
  const message = 'Expected one directory: * ? [ ] { and } stand for many paths.';
  return [{ pointer, code: 'path', message }];
};

export const destinationFiles: NodeType = {
  type: 'destination.files',
  role: 'destination',
  title: 'Files',
  description: 'Writes rows as files into a directory or bucket, all of them once the run is done.',
  inputs: [{ port: 'in', many: false }],
  outputs: [],
  config,
  connectionKeys: ['connectionId'],
  check: (value, at) => {
    const { path, format, partitionBy = [], compression } = value as DestinationFilesConfig;
    const known = compressionsOf(format);
    const message = `For ${format} files, compression is one of ${known.join(', ')}.`;
    return [
      ...checkDirectory(path, `${at}/path`),
      ...checkColumnList(partitionBy, `${at}/partitionBy`),
      ...(compression === undefined || known.includes(compression)
        ? []
        : [{ pointer: `${at}/compression`, code: 'not_applicable', message }]),
    ];
  },
  example: {
    connectionId: '0197f5f6-0000-7000-8000-000000000000',
    path: 'exports/orders',
    format: 'parquet',
    partitionBy: ['country'],
    compression: 'zstd',
  },
};
