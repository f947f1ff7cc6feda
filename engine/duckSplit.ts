import { mkdir, rm } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { RunFailure } from '../core/failures.js';
import { noCounts } from '../core/metrics.js';
import type { SplitCounts } from '../core/metrics.js';
import type { CallContext } from '../connectors/connector.js';
import { isDataError } from './duckdb/failure.js';
import type { DuckResult, DuckStatement } from './duckdb/program.js';
import { makeOfUnproven, openUnproven } from './duckInPlace.js';
import { openInputs, viewOf } from './duckInputs.js';
import type { DuckInput } from './duckInputs.js';
import { outputOf } from './duckOutputs.js';
import type { DuckOutput } from './duckOutputs.js';
import { withoutBadRows } from './duckRescue.js';
import type { SplitOutcome } from './outcome.js';
import type { DuckPath } from './plan.js';
import { ruleFailed } from './rescue/deadLetters.js';
import type { Found } from './rescue/deadLetters.js';
import type { SplitDesk, SplitServices, SplitWork } from './runSplit.js';
import type { Rejects } from './transform/compile.js';

/** What one program came to. */
interface Answers {
  rowsIn: number;
  /** Those of them that came from sources, by their nodes. */
  rowsRead: ReadonlyMap<string, number>;
  rowsOut: number;
  /** By node: rows that are given up there. */
  found: ReadonlyMap<string, readonly Found[]>;
}

const brokenRule = ([row, rule, , data]: readonly unknown[]): Found => ({
  row: Number(row),
  code: ruleFailed,
  message: `The row breaks the rule ${String(rule)}.`,
  payload: String(data),
});

const contractViolation = ({ nodeId }: Rejects, [first]: readonly Found[]): RunFailure =>
  new RunFailure({
    code: 'contract_violation',
    class: 'contract',
    nodeId,
    message: `${first?.message ?? ''} It is row ${(first?.row ?? 0) + 1} of its split.`,
  });

/** Rows that break a rule, each once and for the first rule that it breaks. */
const brokenRows = (rejects: Rejects, { rows }: DuckResult, ctx: CallContext): Found[] => {
  const errors = rows.filter(([, , severity]) => severity === 'error');
  const warnings = rejects.onFailure === 'warn' ? rows.length : rows.length - errors.length;
  if (warnings > 0) ctx.log.warn(`${rejects.nodeId}: ${warnings} times a row breaks a rule.`);
  if (rejects.onFailure === 'warn') return [];
  const first = new Map([...errors].reverse().map((row) => [Number(row[0]), brokenRule(row)]));
  const found = [...first.values()];
  if (rejects.onFailure === 'fail' && found.length > 0) throw contractViolation(rejects, found);
  return found;
};

const sumOf = (numbers: Iterable<number>): number =>
  [...numbers].reduce((sum, number) => sum + number, 0);

const countOf = ({ view }: DuckInput): DuckStatement => ({ sql: `SELECT count(*) FROM ${view}` });

/** Everything at once: what is read is counted, written, and looked at for what it leaves out. */
const runProgram = async (
  work: SplitWork,
  path: DuckPath,
  inputs: readonly DuckInput[],
  output: DuckOutput,
  into: string,
  { directory }: SplitDesk,
  { duckdb }: SplitServices,
  ctx: CallContext,
): Promise<Answers> => {
  const uncounted = inputs.filter(({ rows }) => rows === undefined);
  const rejected = inputs.flatMap((input) =>
    input.rejected ? [{ input, ...input.rejected }] : [],
  );
  const before = [...path.prelude.map((sql) => ({ sql })), ...inputs.map(viewOf)];
  const statements = [
    ...before,
    output.copy(path.sql, into),
    ...uncounted.map(countOf),
    ...rejected.map(({ sql }) => ({ sql })),
    ...path.rejects.map(({ sql }) => ({ sql })),
  ];
  const reads = inputs.flatMap((input) => input.reads);
  // Nothing of its run goes on beside a query over whole inputs.
  const pace =
    work.stage.kind === 'compute' ? { threads: availableParallelism() } : inputs[0]?.pace;
  const results = await duckdb.run({ directory, reads, statements, ...pace }, ctx.signal);
  const answer = results.slice(before.length).values();
  const next = (): DuckResult => answer.next().value ?? { rows: [], changed: 0 };

  const rowsOut = next().changed;
  const counted = new Map(uncounted.map((input) => [input, Number(next().rows[0]?.[0] ?? 0)]));
  const found = new Map<string, readonly Found[]>();
  const add = (nodeId: string, rows: readonly Found[]): void => {
    found.set(nodeId, [...(found.get(nodeId) ?? []), ...rows]);
  };
  const arrived = new Map<DuckInput, number>();
  for (const input of inputs) {
    const { nodeId, kept, rows = counted.get(input) ?? 0 } = input;
    arrived.set(input, rows + kept.length);
    add(
      nodeId,
      kept.map((row) => ({ ...row, payload: null })),
    );
  }
  for (const { input, rowsOf } of rejected) {
    const rows = rowsOf(next());
    arrived.set(input, (arrived.get(input) ?? 0) + rows.length);
    add(
      input.nodeId,
      rows.map((row) => ({ ...row, payload: null })),
    );
  }
  for (const rejects of path.rejects) add(rejects.nodeId, brokenRows(rejects, next(), ctx));
  const fromSources = [...arrived].filter(([{ fromSource }]) => fromSource);
  return {
    rowsIn: sumOf(arrived.values()),
    rowsRead: new Map(fromSources.map(([{ nodeId }, rows]) => [nodeId, rows])),
    rowsOut,
    found,
  };
};

const isFiltered = ({ stage }: SplitWork): boolean => (stage.way.pushed?.where.length ?? 0) > 0;

const mayFilter = ({ stage }: SplitWork): boolean =>
  stage.steps.some(({ type }) => type === 'transform.filter');

/**
 * Counts of a flow: what went in and neither came out nor failed was filtered, and only a filter may
 * do that. A query over whole inputs makes rows of its own.
 */
const lossOf = (work: SplitWork, { rowsIn, rowsOut }: Answers, failed: number): number | null => {
  const { stage } = work;
  if (stage.kind === 'compute') return 0;
  if (isFiltered(work)) return null;
  const filtered = rowsIn - rowsOut - failed;
  if (filtered === 0 || (filtered > 0 && mayFilter(work))) return filtered;
  throw new RunFailure({
    code: 'count_mismatch',
    class: 'internal',
    nodeId: stage.id,
    message: `${rowsIn} rows went in, ${rowsOut} came out and ${failed} failed.`,
  });
};

/** What a split has come to, and where it lies. */
interface Made {
  inputs: readonly DuckInput[];
  answers: Answers;
  into: string;
}

type Run = (from: readonly DuckInput[], into: string, ctx: CallContext) => Promise<Answers>;

/** All rows as they are; undefined where there is any doubt about them. */
const allAtOnce = async (
  work: SplitWork,
  path: DuckPath,
  { directory }: SplitDesk,
  run: Run,
  ctx: CallContext,
): Promise<Made | undefined> => {
  const input = await openUnproven(work, path, ctx);
  if (!input) return undefined;
  const into = join(directory, 'out-unproven');
  const result = await makeOfUnproven(input, (until) => run([input], into, until), ctx);
  const { made, rows = 0 } = result ?? {};
  if (made && (made.rowsOut === rows || mayFilter(work))) {
    const rowsRead = new Map([[input.nodeId, rows]]);
    return { inputs: [input], answers: { ...made, rowsIn: rows, rowsRead }, into };
  }
  await rm(into, { recursive: true, force: true });
  return undefined;
};

/** Rows that are known to be well formed, without those for which the query fails. */
const rowByRow = async (
  work: SplitWork,
  path: DuckPath,
  output: DuckOutput,
  desk: SplitDesk,
  services: SplitServices,
  run: Run,
  ctx: CallContext,
): Promise<Made> => {
  const { letters, directory } = desk;
  const inputs = await openInputs(work, path, services, directory, ctx);
  const into = join(directory, 'out');
  try {
    return { inputs, answers: await run(inputs, into, ctx), into };
  } catch (error) {
    if (!isDataError(error) || !(error instanceof RunFailure)) throw error;
    const rescued = await withoutBadRows(work, path, inputs, output, error, desk, services, ctx);
    // More than may fail ends it here, before the rest is worked out again.
    await letters.set(rescued.nodeId, rescued.bad);
    const again = join(directory, 'out-again');
    const { found, ...rest } = await run(rescued.inputs, again, ctx);
    const there = found.get(rescued.nodeId) ?? [];
    const all = new Map(found).set(rescued.nodeId, [...rescued.bad, ...there]);
    return { inputs, answers: { ...rest, found: all }, into: again };
  }
};

/** One split through one SELECT of DuckDB's. */
export const duckSplit = async (
  work: SplitWork,
  path: DuckPath,
  desk: SplitDesk,
  services: SplitServices,
  ctx: CallContext,
): Promise<SplitOutcome> => {
  const { letters } = desk;
  const output = outputOf(work, desk, services);
  const run: Run = async (from, into, until) => {
    await mkdir(into);
    return runProgram(work, path, from, output, into, desk, services, until);
  };
  const { inputs, answers, into } =
    (await allAtOnce(work, path, desk, run, ctx)) ??
    (await rowByRow(work, path, output, desk, services, run, ctx));
  for (const [nodeId, rows] of answers.found) await letters.set(nodeId, rows);
  const failed = letters.count();
  const rowsFiltered = lossOf(work, answers, failed);
  await letters.save();
  if (failed > 0 || rowsFiltered !== 0) {
    await services.noteLoss({ rowsFiltered, rowsFailed: failed });
  }
  const before: SplitCounts = {
    ...noCounts,
    rowsRead: sumOf(answers.rowsRead.values()),
    bytesRead: sumOf(inputs.map(({ fromSource, bytes }) => (fromSource ? bytes : 0))),
    rowsIn: answers.rowsIn,
    rowsFiltered,
    rowsOut: answers.rowsOut,
    rowsFailed: failed,
  };
  services.progress(before);
  const written = await output.deliver(
    { directory: into, rows: answers.rowsOut, counts: before },
    ctx,
  );
  const counts = { ...written.counts, rowsFailed: letters.count() };
  if (work.stage.kind === 'flow' || !written.output) return { ...written, counts };
  const rowsRead = Object.fromEntries(answers.rowsRead);
  return { ...written, counts, output: { ...written.output, rowsRead } };
};
