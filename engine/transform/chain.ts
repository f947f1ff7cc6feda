/** Steps put together into one statement, each under a name of its own. */
import { quoteName } from '../duckdb/quote.js';
import type { Built, Relation } from './building.js';

export interface ChainStep {
  nodeId: string;
  name: string;
  inputs: readonly Relation[];
  built: Built;
}

const ordinal = quoteName(':ordinal');

/** What a step reads, before it; each once. */
const ancestorsOf = (
  step: ChainStep,
  steps: ReadonlyMap<string, ChainStep>,
): ReadonlySet<ChainStep> => {
  const found = new Set<ChainStep>();
  const visit = ({ inputs }: ChainStep): void => {
    for (const { from } of inputs) {
      const before = steps.get(from);
      if (!before || found.has(before)) continue;
      visit(before);
      found.add(before);
    }
  };
  visit(step);
  return found;
};

/** Read twice, it is worked out once; else its rows flow through without being kept. */
const commonTable = (
  { name, built }: ChainStep,
  members: readonly ChainStep[],
  carried: readonly string[],
): string => {
  const readers = members.flatMap(({ inputs }) => inputs).filter(({ sql }) => sql === name);
  const kept = readers.length > 1 ? 'MATERIALIZED' : 'NOT MATERIALIZED';
  return `${name} AS ${kept} (${built.sql(carried)})`;
};

const withTables = (tables: readonly string[], sql: string): string =>
  tables.length === 0 ? sql : `WITH ${tables.join(', ')} ${sql}`;

/** The rows of a step. */
export const chainSql = (step: ChainStep, steps: ReadonlyMap<string, ChainStep>): string => {
  const members = [...ancestorsOf(step, steps), step];
  const tables = members.slice(0, -1).map((member) => commonTable(member, members, []));
  return withTables(tables, step.built.sql([]));
};

/**
 * A statement about a step's input in which rows have their place: that in the stage's input where
 * each row went its own way up to here, else that among the rows which arrive.
 */
export const numberedSql = (
  step: ChainStep,
  steps: ReadonlyMap<string, ChainStep>,
  select: (ordinal: string) => string,
): string => {
  const ancestors = [...ancestorsOf(step, steps)];
  const members = [...ancestors, step];
  const flows = ancestors.every(({ built }) => built.rowByRow);
  const [first = step] = ancestors;
  const [read] = first.inputs;
  if (!flows || !read) {
    const tables = ancestors.map((member) => commonTable(member, members, []));
    return withTables(tables, select('row_number() OVER () - 1'));
  }
  const numbered =
    `${read.sql} AS NOT MATERIALIZED (SELECT *, row_number() OVER () - 1 AS ${ordinal} ` +
    `FROM memory.main.${read.sql})`;
  const tables = ancestors.map((member) => commonTable(member, members, [ordinal]));
  return withTables([numbered, ...tables], select(ordinal));
};
