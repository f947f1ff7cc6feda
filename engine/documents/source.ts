/** `source.http`, `source.topic`: records of JSON as a source of rows, whatever they come from. */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { RunFailure } from '../../core/failures.js';
import type { CallContext, Column, SourceRequest } from '../../connectors/connector.js';
import type { DocumentSource } from '../../connectors/documents.js';
import type { DuckDb } from '../duckdb/program.js';
import { columnOf } from '../files/fileRange.js';
import type { RelationSource } from '../files/relation.js';
import { keepBeginning, sampleLines } from '../files/sampleJsonFiles.js';
import type { MakeScratch } from '../staging/scratch.js';
import { linesRelation } from './relation.js';

export interface DocumentDeps {
  duckdb: DuckDb;
  scratch: MakeScratch;
  maxRowBytes: number;
}

interface DocumentConfig {
  columns?: readonly { name: string; type: string }[];
}

/** So many say what the others are. */
const recordsToSample = 1_000;

const nothingToSample = (): RunFailure =>
  new RunFailure({
    code: 'config_invalid',
    class: 'config',
    message:
      'There is no record yet that could say which columns there are: list them in `columns`.',
  });

/** Columns that the records always have come first; samples have nothing to say about those. */
const withFixed = (fixed: readonly Column[], sampled: readonly Column[]): Column[] => {
  const known = new Set(fixed.map(({ name }) => name.toLowerCase()));
  return [...fixed, ...sampled.filter(({ name }) => !known.has(name.toLowerCase()))];
};

const named = (column: Column, member: string): Column =>
  column.name === member ? column : { ...column, member };

export const documentColumns = async (
  source: DocumentSource,
  { duckdb, scratch }: DocumentDeps,
  request: SourceRequest,
  ctx: CallContext,
): Promise<readonly Column[]> => {
  const { columns: listed } = request.config as DocumentConfig;
  if (listed) return listed.map(({ name, type }) => columnOf(name, type));
  const { path: directory, remove } = await scratch('sample');
  try {
    const path = join(directory, `${randomUUID()}.sample`);
    const some = source.sample(request, recordsToSample, ctx);
    const paths = (await keepBeginning(some, path, ctx)) ? [path] : [];
    const { columns, members } = await sampleLines({ duckdb }, paths, directory, ctx);
    const sampled = columns.map((column, index) => named(column, members[index] ?? column.name));
    const all = withFixed(source.fixed ?? [], sampled);
    if (all.length === 0) throw nothingToSample();
    return all;
  } finally {
    await remove();
  }
};

const onlyAsRelation = (): never => {
  throw new TypeError('documents are read through DuckDB only');
};

export const makeDocumentSource = (source: DocumentSource, deps: DocumentDeps): RelationSource => ({
  // What is in a record is for DuckDB to say.
  formats: [],
  readBulk: onlyAsRelation,

  facts: async (request, ctx) => ({
    columns: await documentColumns(source, deps, request, ctx),
    // Where its splits begin and end is settled when they are planned.
    consistencies: ['per_row', 'single'],
  }),

  splits: (request, { targetBytes }, ctx) => source.splits(request, { targetBytes }, ctx),

  held: async () => 'text',

  unproven: async () => undefined,

  relation: (request, range, directory, ctx, planned) =>
    linesRelation(source.read(request, range, ctx), planned, deps.maxRowBytes, directory, ctx),
});
