import { join } from 'node:path';
import type { BadRow, CallContext } from '../connectors/connector.js';
import { quoteName } from './duckdb/quote.js';
import { isRelationSource, requestOf } from './ends.js';
import type { OpenSource } from './ends.js';
import { writeFileFrom } from './files/localFiles.js';
import type { DuckPath } from './plan.js';
import type { SplitServices, SplitWork } from './runSplit.js';
import { inputViewSql } from './transform/compile.js';
import { readCsvSql } from './transform/csv.js';
import { readDatasetSql } from './transform/parquet.js';
import { slot } from './transform/relation.js';
import type { RelationColumn } from './transform/relation.js';
import type { DuckResult } from './duckdb/program.js';

/** Rows of one input as DuckDB reads them. */
export interface DuckInput {
  nodeId: string;
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
  /** Asked beside it, for rows that the SELECT itself leaves out. */
  rejected?: { sql: string; rowsOf: (answer: DuckResult) => readonly BadRow[] };
}

type Place = Pick<DuckInput, 'nodeId' | 'view' | 'columns'>;

const fromBulk = async (
  from: OpenSource,
  { stage, input: { range, snapshot } }: SplitWork,
  place: Place,
  directory: string,
  maxRowBytes: number,
  ctx: CallContext,
): Promise<DuckInput> => {
  const options = { format: 'csv' as const, ...(snapshot === null ? {} : { snapshot }) };
  const read = from.source.readBulk(requestOf(from, stage.way), range, options, ctx);
  const path = join(directory, 'in.csv');
  await writeFileFrom(read.chunks, path, ctx.signal);
  const { rows, bytes } = read.counts();
  const select = readCsvSql(path, place.columns, { maxRowBytes });
  return { ...place, select, reads: [], bytes, rows, kept: read.rejected() };
};

const fromRelation = async (
  from: OpenSource,
  { stage, input: { range } }: SplitWork,
  place: Place,
  directory: string,
  ctx: CallContext,
): Promise<DuckInput | undefined> => {
  if (!isRelationSource(from.source)) return undefined;
  const request = requestOf(from, stage.way);
  const relation = await from.source.relation(request, range, directory, ctx);
  const { sql, reads, kept, rejectedSql, rejectedRows, bytes, rows } = relation;
  const byPlace = relation.columns.map(({ name }, index) => `${quoteName(name)} AS ${slot(index)}`);
  return {
    ...place,
    select: `SELECT ${byPlace.join(', ')} FROM (${sql})`,
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

/** Everything that a split's query reads. */
export const openInputs = async (
  work: SplitWork,
  path: DuckPath,
  services: SplitServices,
  directory: string,
  ctx: CallContext,
): Promise<DuckInput[]> => {
  const { stage, ends } = work;
  const opened: DuckInput[] = [];
  for (const [nodeId, columns] of Object.entries(stage.way.inputs)) {
    const from = ends.source;
    const place = { nodeId: from?.nodeId ?? nodeId, columns, view: path.views[nodeId] ?? '' };
    opened.push(
      from === undefined
        ? await fromDataset(work, services, place, directory, ctx)
        : ((await fromRelation(from, work, place, directory, ctx)) ??
            (await fromBulk(from, work, place, directory, services.maxRowBytes, ctx))),
    );
  }
  return opened;
};

export const viewOf = ({ view, select }: DuckInput): { sql: string } => ({
  sql: inputViewSql(view, select),
});
