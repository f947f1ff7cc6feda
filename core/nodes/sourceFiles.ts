import { Type } from '@sinclair/typebox';
import type { Static } from '@sinclair/typebox';
import type { Issue } from '../errors.js';
import { nameSchema } from '../names.js';
import { checkNewColumns } from './columnNames.js';
import {
  checkTypeWord,
  columnsOptions,
  connectionIdSchema,
  typeWordSchema,
  wordSchema,
} from './fields.js';
import { checkPath, fileFormats, longestPath } from './filePaths.js';
import type { NodeType } from './nodeType.js';

const sign = (description: string, minLength: 0 | 1, byDefault: string) =>
  Type.Optional(
    Type.String({
      minLength,
      maxLength: 1,
      pattern: '^[^\\r\\n\\u0080-\\uffff]*$',
      default: byDefault,
      description,
      errorMessage: `Expected ${minLength === 0 ? 'at most ' : ''}one ASCII character, and no line break.`,
    }),
  );

const options = Type.Object(
  {
    delimiter: sign('csv: what separates fields', 1, ','),
    quote: sign('csv: what surrounds fields; empty: nothing does', 0, '"'),
    escape: sign('csv: what stands before a quote within quotes', 1, '"'),
    header: Type.Optional(
      Type.Boolean({ default: true, description: 'csv: the first line names the columns' }),
    ),
    nullString: Type.Optional(
      Type.String({ maxLength: 100, default: '', description: 'csv: a field that means NULL' }),
    ),
    encoding: Type.Optional(
      wordSchema(['utf-8', 'utf-16', 'latin-1'], { default: 'utf-8', description: 'csv' }),
    ),
    compression: Type.Optional(
      wordSchema(['none', 'gzip', 'zstd'], { description: 'Default: by extension (.gz, .zst)' }),
    ),
    columns: Type.Optional(
      Type.Array(Type.Object({ name: nameSchema(), type: typeWordSchema() }), {
        ...columnsOptions,
        description: 'All columns with their types, in order. Default: found out from samples',
      }),
    ),
    sampleRows: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 10_000_000,
        default: 20_480,
        description: 'How many rows are looked at to find out names and types',
      }),
    ),
  },
  { description: 'How the files are written' },
);

const config = Type.Object({
  connectionId: connectionIdSchema('A connection to a store of files'),
  path: Type.String({
    minLength: 1,
    maxLength: longestPath,
    description: 'Which files: a path that may hold *, **, ?, [a-z] and {a,b}',
    errorMessage: `Expected a path of 1 to ${longestPath} characters.`,
  }),
  format: Type.Optional(
    wordSchema(fileFormats, { description: "Default: by each file's extension" }),
  ),
  options: Type.Optional(options),
});

export type SourceFilesConfig = Static<typeof config>;

const csvOnly = ['delimiter', 'quote', 'escape', 'header', 'nullString', 'encoding'] as const;
const notForParquet = ['compression', 'columns', 'sampleRows'] as const;

/** Where the format is left to the files' names, only they say which options mean something. */
const checkOptions = ({ format, options: given = {} }: SourceFilesConfig, at: string): Issue[] => {
  const useless = [
    ...(format === undefined || format === 'csv' ? [] : csvOnly),
    ...(format === 'parquet' ? notForParquet : []),
  ].filter((key) => given[key] !== undefined);
  const { delimiter = ',', quote = '"', columns = [] } = given;
  const equal = 'quote and delimiter are the same character.';
  return [
    ...useless.map((key) => ({
      pointer: `${at}/${key}`,
      code: 'not_applicable',
      message: `${key} means nothing for ${format} files; leave it out.`,
    })),
    ...(delimiter === quote ? [{ pointer: `${at}/quote`, code: 'value', message: equal }] : []),
    ...checkNewColumns(
      columns.map(({ name }) => name),
      (index) => `${at}/columns/${index}/name`,
    ),
    ...columns.flatMap(({ type }, index) => checkTypeWord(type, `${at}/columns/${index}/type`)),
  ];
};

export const sourceFiles: NodeType = {
  type: 'source.files',
  role: 'source',
  title: 'Files',
  description: 'Reads csv, json, jsonl or parquet files out of a directory or bucket.',
  inputs: [],
  outputs: ['out'],
  config,
  connectionKeys: ['connectionId'],
  check: (value, at) => {
    const files = value as SourceFilesConfig;
    return [...checkPath(files.path, `${at}/path`), ...checkOptions(files, `${at}/options`)];
  },
  example: {
    connectionId: '0197f5f6-0000-7000-8000-000000000000',
    path: 'incoming/2026-*/orders-*.csv.gz',
    options: { delimiter: ';', nullString: 'NULL' },
  },
};
