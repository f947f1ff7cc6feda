import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { RunFailure } from '../core/failures.js';
import type { BadRow, CallContext, Column } from '../connectors/connector.js';
import { blaming } from './blame.js';
import { quoteName } from './duckdb/quote.js';
import { isRelationSource, rangeOf, requestOf } from './ends.js';
import type { OpenSource } from './ends.js';
import { typeWord } from './files/fileRange.js';
import { writeFileFrom } from './files/localFiles.js';
import type { Relation } from './files/relation.js';
import type { DuckPath } from './plan.js';
import type { SplitServices, SplitWork } from './runSplit.js';
import { inputViewSql } from './transform/compile.js';
import { readCsvSql } from './transform/csv.js';
import { readDatasetSql } from './transform/parquet.js';
import { slot } from './transform/relation.js';
import type { RelationColumn } from './transform/relation.js';
import type { DuckProgram, DuckResult } from './duckdb/program.js';

/** Rows of one input as DuckDB reads them. */
export interface DuckInput {
  nodeId: string;
  /** Read from a source here; a dataset's rows were read before. */
  fromSource: boolean;
  view: string;
  columns: readonly RelationColumn[];
  /** A SELECT of the columns by their places. */
  select: string;
  /** Files outside of the split's directory. */
  reads: readonly string[];
  bytes: number;
  /** How many rows there are, where somebody has counted them already. */
  rows: number | undefined;
  /** Rows that are not among them, and why. */
  kept: readonly BadRow[];
  /** How a query may go about it that reads nothing else; in order and alone otherwise. */
  pace?: Pick<DuckProgram, 'threads' | 'unordered'>;
  /** Asked beside it, for rows that the SELECT itself leaves out. */
  rejected?: { sql: string; rowsOf: (answer: DuckResult) => readonly BadRow[] };
}

type Columns = readonly RelationColumn[];

export type Place = Pick<DuckInput, 'nodeId' | 'fromSource' | 'view' | 'columns'>;

const fromBulk = async (
  from: OpenSource,
  { stage, input: { ranges, snapshot } }: SplitWork,
  place: Place,
  directory: string,
  maxRowBytes: number,
  ctx: CallContext,
): Promise<DuckInput> => {
  const options = { format: 'csv' as const, ...(snapshot === null ? {} : { snapshot }) };
  const read = from.source.readBulk(
    requestOf(from, stage.way),
    rangeOf(ranges, from),
    options,
    ctx,
  );
  const path = join(directory, 'in.csv');
  await writeFileFrom(read.chunks, path, ctx.signal);
  const { rows, bytes } = read.counts();
  const select = readCsvSql(path, place.columns, { maxRowBytes });
  return { ...place, select, reads: [], bytes, rows, kept: read.rejected() };
};

const differ = ({ nodeId }: Place): RunFailure =>
  new RunFailure({
    code: 'schema_drift',
    class: 'schema',
    nodeId,
    message: 'The files have other columns than when the run was planned: start another run.',
  });

/** Columns are read by their places from here on. */
export const refuseOthers = (place: Place, found: readonly Column[]): void => {
  const words = (columns: readonly Column[]): string =>
    JSON.stringify(columns.map(({ name, type }) => [name, typeWord(type)]));
  if (words(found) !== words(place.columns)) throw differ(place);
};

export const selectOf = ({ sql, columns }: Pick<Relation, 'sql' | 'columns'>): string => {
  const byPlace = columns.map(({ name }, index) => `${quoteName(name)} AS ${slot(index)}`);
  return `SELECT ${byPlace.join(', ')} FROM (${sql})`;
};

const fromRelation = async (
  from: OpenSource,
  { stage, input: { ranges } }: SplitWork,
  place: Place,
  directory: string,
  ctx: CallContext,
): Promise<DuckInput | undefined> => {
  if (!isRelationSource(from.source)) return undefined;
  const request = requestOf(from, stage.way);
  const range = rangeOf(ranges, from);
  const relation = await from.source.relation(request, range, directory, ctx, place.columns);
  refuseOthers(place, relation.columns);
  const { reads, kept, rejectedSql, rejectedRows, bytes, rows } = relation;
  return {
    ...place,
    select: selectOf(relation),
    reads,
    bytes,
    rows,
    kept,
    ...(rejectedSql === undefined ? {} : { rejected: { sql: rejectedSql, rowsOf: rejectedRows } }),
  };
};

const fromDataset = async (
  { input, marker }: SplitWork,
  { staging }: SplitServices,
  place: Place,
  directory: string,
  ctx: CallContext,
): Promise<DuckInput> => {
  const files = input.files[place.nodeId] ?? [];
  const paths: string[] = [];
  for (const { stage, name } of files) {
    const staged = { job: marker.rootJobId, stage, file: name };
    paths.push(await staging.fetch(staged, directory, ctx));
  }
  return {
    ...place,
    select: readDatasetSql(paths, place.columns),
    reads: paths,
    bytes: files.reduce((sum, file) => sum + file.bytes, 0),
    rows: files.every(({ rows }) => rows !== null)
      ? files.reduce((sum, { rows }) => sum + (rows ?? 0), 0)
      : undefined,
    kept: [],
  };
};

/** Rows that a flow reads may be those of the last step that its source does itself. */
const sourceOf = ({ stage, ends: { sources } }: SplitWork, nodeId: string) =>
  stage.kind === 'flow' ? sources[0] : sources.find((source) => source.nodeId === nodeId);

/** Everything that a split's query reads. */
export const openInputs = async (
  work: SplitWork,
  path: DuckPath,
  services: SplitServices,
  directory: string,
  ctx: CallContext,
): Promise<DuckInput[]> => {
  const { stage } = work;
  const open = async (nodeId: string, columns: Columns, number: number): Promise<DuckInput> => {
    const from = sourceOf(work, nodeId);
    const fromSource = from !== undefined;
    const view = path.views[nodeId] ?? '';
    const place = { nodeId: from?.nodeId ?? nodeId, fromSource, columns, view };
    // Several sources call their files by the same names.
    const into = join(directory, `in-${number}`);
    await mkdir(into);
    return blaming(place.nodeId, async () =>
      from === undefined
        ? fromDataset(work, services, place, into, ctx)
        : ((await fromRelation(from, work, place, into, ctx)) ??
          fromBulk(from, work, place, into, services.maxRowBytes, ctx)),
    );
  };
  const opened: DuckInput[] = [];
  for (const [number, [id, columns]] of Object.entries(stage.way.inputs).entries()) {
    opened.push(await open(id, columns, number));
  }
  return opened;
};

export const viewOf = ({ view, select }: DuckInput): { sql: string } => ({
  sql: inputViewSql(view, select),
});
