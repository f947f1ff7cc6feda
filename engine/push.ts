import type { Column } from '../core/dataTypes.js';
import { nodeTypeOf } from '../core/nodes/index.js';
import type { Step } from '../core/plan/stage.js';
import type { Expression } from '../sql/ast.js';
import { checkExpression, expressionProbes } from '../sql/gate.js';
import { SqlRefusal } from '../sql/refusal.js';
import { pushSteps } from '../sql/pushSteps.js';
import type { PushedSteps } from '../sql/pushSteps.js';
import type { DuckDb } from './duckdb/program.js';

const expressionsOf = ({ type, config }: Step): string[] =>
  (nodeTypeOf(type)?.sqlIn?.(config) ?? []).flatMap(({ kind, sql }) =>
    kind === 'expression' ? [sql] : [],
  );

/** Undefined for what may not be said: binding it says why. */
const orUndefined = <T>(work: () => T): T | undefined => {
  try {
    return work();
  } catch (error) {
    if (error instanceof SqlRefusal) return undefined;
    throw error;
  }
};

/** What DuckDB's own parser makes of each text that it may be asked to evaluate. */
const parsed = async (
  duckdb: DuckDb,
  texts: readonly string[],
  directory: string,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Expression>> => {
  const probes = texts.flatMap((text) => {
    const both = orUndefined(() => expressionProbes(text));
    return both ? [{ text, both }] : [];
  });
  if (probes.length === 0) return new Map();
  const statements = probes.flatMap(({ both }) =>
    both.map((probe) => ({ sql: 'SELECT json_serialize_sql(?::VARCHAR)', values: [probe] })),
  );
  const answers = await duckdb.run({ directory, reads: [], statements }, signal);
  const answer = (index: number): string => String(answers[index]?.rows[0]?.[0]);
  return new Map(
    probes.flatMap(({ text }, index) => {
      const both = [answer(2 * index), answer(2 * index + 1)] as const;
      const checked = orUndefined(() => checkExpression(text, both, 'row'));
      return checked ? [[text, checked.expression]] : [];
    }),
  );
};

/** What a PostgreSQL source can do of a stage's first steps; undefined when that is nothing. */
export const pushInto = async (
  duckdb: DuckDb,
  steps: readonly Step[],
  columns: readonly Column[],
  directory: string,
  signal: AbortSignal,
): Promise<PushedSteps | undefined> => {
  const texts = [...new Set(steps.flatMap(expressionsOf))];
  return pushSteps(steps, columns, await parsed(duckdb, texts, directory, signal));
};
