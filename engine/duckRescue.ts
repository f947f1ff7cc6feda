import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunFailure } from '../core/failures.js';
import type { CallContext, SpooledRows } from '../connectors/connector.js';
import { spooledRows } from './csv/rowOffsets.js';
import { isDataError } from './duckdb/failure.js';
import type { DuckStatement } from './duckdb/program.js';
import { viewOf } from './duckInputs.js';
import type { DuckInput } from './duckInputs.js';
import type { DuckOutput } from './duckOutputs.js';
import { writeFileFrom } from './files/localFiles.js';
import type { DuckPath } from './plan.js';
import type { Found } from './rescue/deadLetters.js';
import { payloadOf, without } from './rescue/spool.js';
import type { SplitDesk, SplitServices, SplitWork } from './runSplit.js';
import { copyCsvSql, readCsvSql } from './transform/csv.js';
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

/** The inputs without the rows that failed, and those rows, with the node to blame. */
export interface Rescued {
  inputs: readonly DuckInput[];
  nodeId: string;
  bad: readonly Found[];
}

/**
 * Finds the rows for which an expression, or the output, fails. A query over whole inputs has no row
 * to blame.
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
): Promise<Rescued> => {
  const [input, ...more] = inputs;
  if (!input || more.length > 0 || stage.kind === 'compute') throw failure;
  const prelude = path.prelude.map((sql) => ({ sql }));
  const run = (from: DuckInput, statement: DuckStatement) =>
    duckdb.run(
      { directory, reads: from.reads, statements: [...prelude, viewOf(from), statement] },
      ctx.signal,
    );
  /** The same rows, or some of them, from a csv of ours. */
  const csvOf = (file: string): DuckInput => ({
    ...input,
    select: heldAgain(readCsvSql(file, input.columns, { maxRowBytes }), input.columns),
    rows: rows.count,
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
  const goodPath = join(directory, 'good.csv');
  await write(without(rows, bad).chunks, goodPath);
  return { inputs: [csvOf(goodPath)], nodeId, bad: await foundOf(rows, bad, failure) };
};

const foundOf = (
  rows: SpooledRows,
  bad: readonly number[],
  { failure }: RunFailure,
): Promise<Found[]> =>
  Promise.all(
    bad.map(async (row) => ({
      row,
      code: 'expression_error',
      message: failure.message,
      payload: await payloadOf(rows, row),
    })),
  );
