import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunFailure } from '../core/failures.js';
import type { CallContext, SpooledRows } from '../connectors/connector.js';
import { spooledRows } from './csv/rowOffsets.js';
import { isDataError } from './duckdb/failure.js';
import type { DuckStatement } from './duckdb/program.js';
import { csvInput, viewOf } from './duckInputs.js';
import type { DuckInput } from './duckInputs.js';
import type { DuckOutput } from './duckOutputs.js';
import { writeFileFrom } from './files/localFiles.js';
import type { DuckPath } from './plan.js';
import { payloadOf, without } from './rescue/spool.js';
import type { SplitDesk, SplitServices, SplitWork } from './runSplit.js';
import { copyCsvSql } from './transform/csv.js';
import { slot } from './transform/relation.js';
import type { RelationColumn } from './transform/relation.js';
import { toTyped } from './transform/toTyped.js';

/**
 * The places of rows for which the work fails, found by halving; stops after `most`. Rows that fail
 * alone are at fault; each is tried as often as it takes to be alone.
 */
const failingRows = async (
  count: number,
  most: number,
  fails: (from: number, to: number) => Promise<boolean>,
): Promise<number[]> => {
  const found: number[] = [];
  const search = async (from: number, to: number, knownToFail: boolean): Promise<void> => {
    if (found.length >= most || from >= to) return;
    if (!knownToFail && !(await fails(from, to))) return;
    if (to - from === 1) {
      found.push(from);
      return;
    }
    const middle = Math.floor((from + to) / 2);
    const before = found.length;
    await search(from, middle, false);
    // Nothing in the first half means that it is in the second one.
    await search(middle, to, found.length === before);
  };
  await search(0, count, true);
  return found;
};

/** Text from a csv as the query expects its columns: typed where they were before. */
const heldAgain = (select: string, columns: readonly RelationColumn[]): string => {
  if (columns.every(({ held }) => held === 'text')) return select;
  const values = columns.map(({ held, type }, index) =>
    held === 'text' ? slot(index) : `${toTyped(slot(index), type)} AS ${slot(index)}`,
  );
  return `SELECT ${values.join(', ')} FROM (${select})`;
};

/**
 * Rows for which an expression fails become dead letters; the inputs come back without them. A query
 * over whole inputs has no row to blame.
 */
export const withoutBadRows = async (
  { stage }: SplitWork,
  path: DuckPath,
  inputs: readonly DuckInput[],
  output: DuckOutput,
  failure: RunFailure,
  { directory, letters }: SplitDesk,
  { duckdb, maxRowBytes }: SplitServices,
  ctx: CallContext,
): Promise<DuckInput[]> => {
  const [input, ...more] = inputs;
  if (!input || more.length > 0 || stage.kind === 'compute') throw failure;
  const prelude = path.prelude.map((sql) => ({ sql }));
  const run = (from: DuckInput, statement: DuckStatement) =>
    duckdb.run(
      { directory, reads: from.reads, statements: [...prelude, viewOf(from), statement] },
      ctx.signal,
    );
  const csvOf = (file: string): DuckInput => ({
    nodeId: input.nodeId,
    view: input.view,
    columns: input.columns,
    select: heldAgain(csvInput(input, file, maxRowBytes).select, input.columns),
    reads: input.reads,
    bytes: input.bytes,
    rows: undefined,
    kept: input.kept,
    ...(input.rejected === undefined ? {} : { rejected: input.rejected }),
  });

  const spoolPath = join(directory, 'spool.csv');
  const copied = copyCsvSql(`SELECT * FROM ${input.view}`, input.columns, spoolPath);
  await run(input, { sql: copied });
  const rows = await spooledRows(spoolPath, input.columns, ctx.signal);
  const probePath = join(directory, 'probe.csv');
  const write = (read: AsyncIterable<Buffer>, to: string) => writeFileFrom(read, to, ctx.signal);

  const fails = async (from: number, to: number): Promise<boolean> => {
    await write(rows.read(from, to), probePath);
    // What only the output cannot hold is to be found as well.
    const into = join(directory, 'probe');
    await rm(into, { recursive: true, force: true });
    await mkdir(into);
    try {
      await run(csvOf(probePath), output.copy(path.sql, into));
      return false;
    } catch (error) {
      if (!isDataError(error)) throw error;
      return true;
    }
  };

  const most = Math.max(0, await letters.room()) + 1;
  const bad = await failingRows(rows.count, most, fails);
  const nodeId = stage.steps.at(-1)?.nodeId ?? stage.id;
  await letters.set(nodeId, await lettersOf(rows, bad, failure));
  const goodPath = join(directory, 'good.csv');
  await write(without(rows, bad).chunks, goodPath);
  return [{ ...csvOf(goodPath), rows: rows.count }];
};

const lettersOf = (rows: SpooledRows, bad: readonly number[], { failure }: RunFailure) =>
  Promise.all(
    bad.map(async (row) => ({
      row,
      code: 'expression_error',
      message: failure.message,
      payload: await payloadOf(rows, row),
    })),
  );
