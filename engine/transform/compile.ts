/** The steps of a stage as one SELECT of DuckDB's, checked and typed before any row is read. */
import { RunFailure } from '../../core/failures.js';
import type { Step } from '../../core/plan/stage.js';
import type { DuckDb, DuckResult, DuckStatement } from '../duckdb/program.js';
import { quoteName } from '../duckdb/quote.js';
import { aggregateStep } from './aggregate.js';
import { makeBinder } from './binder.js';
import type { Binder } from './binder.js';
import type { Relation, StepBuilder } from './building.js';
import { chainSql, numberedSql } from './chain.js';
import type { ChainStep } from './chain.js';
import { deriveStep } from './derive.js';
import { checkAll } from './expressions.js';
import type { CheckedSql, UserSql } from './expressions.js';
import { filterStep } from './filter.js';
import { joinStep } from './join.js';
import { momentMacros } from './moments.js';
import { dedupeStep, sortStep } from './order.js';
import { pivotStep } from './pivot.js';
import { slots } from './relation.js';
import type { RelationColumn } from './relation.js';
import { selectStep } from './select.js';
import { sqlStep } from './sqlStep.js';
import { unionStep } from './union.js';
import { unpivotStep } from './unpivot.js';
import { validateStep } from './validate.js';

export interface CompileRequest {
  /** Each after those it reads; the last one gives the rows. Empty: rows go on as they are. */
  steps: readonly Step[];
  /** By the node whose rows they are. */
  inputs: ReadonlyMap<string, readonly RelationColumn[]>;
  /** What now() and its like say. */
  startedAt: Date;
  /** Where DuckDB may keep what it needs for a moment. */
  directory: string;
}

export interface Rejects {
  nodeId: string;
  onFailure: 'dlq' | 'fail' | 'warn';
  /**
   * One row for each rule that a row breaks: `row` (its place, from 0), `rule`, `severity` (rows
   * that break a `warning` have gone on) and `data` (the row as JSON of texts).
   */
  sql: string;
}

export interface Compiled {
  /** Run before anything else. */
  prelude: readonly string[];
  /** What the views are called that `sql` reads, by node; see `inputViewSql`. */
  views: ReadonlyMap<string, string>;
  /** Its columns are those of `columns`, in order. */
  sql: string;
  columns: readonly RelationColumn[];
  rejects: readonly Rejects[];
}

const builders: Readonly<Record<string, StepBuilder>> = {
  'transform.filter': filterStep,
  'transform.select': selectStep,
  'transform.derive': deriveStep,
  'transform.validate': validateStep,
  'transform.join': joinStep,
  'transform.aggregate': aggregateStep,
  'transform.union': unionStep,
  'transform.dedupe': dedupeStep,
  'transform.sort': sortStep,
  'transform.pivot': pivotStep,
  'transform.unpivot': unpivotStep,
  'transform.sql': sqlStep,
};

const builderOf = ({ type, nodeId }: Step): StepBuilder => {
  const builder = Object.hasOwn(builders, type) ? builders[type] : undefined;
  if (builder) return builder;
  throw new RunFailure({
    code: 'config_invalid',
    class: 'config',
    message: `A node of type ${type} cannot stand here.`,
    nodeId,
  });
};

/** Makes a file, or any other SELECT of the columns by their places, what the steps read. */
export const inputViewSql = (view: string, select: string): string =>
  `CREATE VIEW ${view} AS ${select}`;

const oneCell = ({ rows }: DuckResult): string => String(rows[0]?.[0]);

/** The same text in the same place of a node is the same expression, whoever asks for it. */
const keyOf = ({ nodeId, place, text }: UserSql): string => JSON.stringify([nodeId, place, text]);

interface Work {
  request: CompileRequest;
  views: ReadonlyMap<string, string>;
  checked: ReadonlyMap<string, CheckedSql>;
  binder: Binder;
}

const relationOf = (
  { request, views }: Work,
  made: ReadonlyMap<string, ChainStep>,
  { port, from }: Step['inputs'][number],
): Relation => {
  const step = made.get(from);
  if (step) return { sql: step.name, port, from, columns: step.built.columns };
  const sql = views.get(from);
  const columns = request.inputs.get(from);
  if (sql === undefined || !columns) throw new RangeError(`there are no rows of ${from}`);
  return { sql, port, from, columns };
};

const buildStep = async (
  work: Work,
  made: ReadonlyMap<string, ChainStep>,
  step: Step,
): Promise<ChainStep> => {
  const { nodeId, config } = step;
  const { binder, checked } = work;
  const inputs = step.inputs.map((input) => relationOf(work, made, input));
  const built = await builderOf(step).build({
    nodeId,
    config,
    inputs,
    checked: (expression) => {
      const result = checked.get(keyOf(expression));
      if (!result) throw new RangeError('an expression was not checked');
      return result;
    },
    resolved: ({ sql }) => binder.resolved(sql),
    described: binder.described,
  });
  const name = quoteName(`:n${made.size}`);
  binder.add({ name, nodeId, sql: built.sql([]), columns: built.columns, probes: built.probes });
  return { nodeId, name, inputs, built };
};

const rejectsOf = async (
  { binder }: Work,
  made: ReadonlyMap<string, ChainStep>,
  step: ChainStep,
): Promise<Rejects[]> => {
  const [input] = step.inputs;
  const part = step.built.rejects;
  if (!part || !input) return [];
  const columns = await binder.resolved(input.sql);
  const sql = numberedSql(step, made, (ordinal) => part.sql(columns, ordinal));
  return [{ nodeId: step.nodeId, onFailure: part.onFailure, sql }];
};

/** Without steps, rows go on as they are. */
const unchanged = ({ request, views }: Work): Pick<Compiled, 'sql' | 'columns'> => {
  const [[nodeId, columns] = ['', []]] = request.inputs;
  const sql = `SELECT ${slots(columns.length).join(', ')} FROM ${views.get(nodeId) ?? ''}`;
  return { sql, columns };
};

/** Refuses what the gate or DuckDB refuses, with the node and the place in the user's own text. */
export const compileSteps = async (
  duck: DuckDb,
  request: CompileRequest,
  signal: AbortSignal,
): Promise<Compiled> => {
  const { steps, inputs, startedAt, directory } = request;
  const run = (statements: readonly DuckStatement[]): Promise<readonly DuckResult[]> =>
    duck.run({ directory, reads: [], statements }, signal);
  const texts = steps.flatMap((step) =>
    builderOf(step).sqlOf(step.nodeId, step.config, step.inputs),
  );
  const found = await checkAll(texts, async (statements) => (await run(statements)).map(oneCell));
  const asksTime = [...found.values()].some(({ moment }) => moment);
  const prelude = asksTime ? momentMacros(startedAt) : [];
  const views = new Map([...inputs.keys()].map((id, index) => [id, quoteName(`:s${index}`)]));
  const tables = [...inputs].map(([id, columns]) => [views.get(id) ?? '', columns] as const);
  const work: Work = {
    request,
    views,
    checked: new Map([...found].map(([text, result]) => [keyOf(text), result])),
    binder: makeBinder(run, prelude, new Map(tables)),
  };

  const made = new Map<string, ChainStep>();
  for (const step of steps) made.set(step.nodeId, await buildStep(work, made, step));
  const all = [...made.values()];
  const last = all.at(-1);
  if (!last) return { prelude, views, ...unchanged(work), rejects: [] };
  const columns = await work.binder.resolved(last.name);
  const rejects: Rejects[] = [];
  for (const step of all) rejects.push(...(await rejectsOf(work, made, step)));
  return { prelude, views, sql: chainSql(last, made), columns, rejects };
};
