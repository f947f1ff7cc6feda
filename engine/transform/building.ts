/** What the steps have in common: what they are given, and what they make of it. */
import type { Step } from '../../core/plan/stage.js';
import type { CheckedSql, UserExpression, UserQuery } from './expressions.js';
import type { DraftColumn, RelationColumn } from './relation.js';
import type { Probe } from './scope.js';

/** An input of a step. */
export interface Relation {
  /** Its name in SQL. */
  sql: string;
  port: string;
  from: string;
  columns: readonly DraftColumn[];
}

/** Rows that a validation sets aside or counts. */
export interface RejectPart {
  onFailure: 'dlq' | 'fail' | 'warn';
  /** `ordinal`: the SQL of a row's place. Columns: row, rule, severity, data. */
  sql(columns: readonly RelationColumn[], ordinal: string): string;
}

export interface Built {
  /**
   * SELECT of the columns by their places. `carried` is what a step that treats each row by itself
   * takes along unchanged, under names of ours.
   */
  sql(carried: readonly string[]): string;
  columns: readonly DraftColumn[];
  probes: readonly Probe[];
  rowByRow: boolean;
  rejects?: RejectPart;
}

export interface StepContext {
  nodeId: string;
  config: unknown;
  inputs: readonly Relation[];
  /** What the gate found in an expression of this step. */
  checked(expression: UserExpression): CheckedSql;
  /** The columns with the types that DuckDB gives them. */
  resolved(relation: Relation): Promise<readonly RelationColumn[]>;
  /** What DuckDB answers to a DESCRIBE. */
  described(probe: Probe): Promise<readonly DescribedColumn[]>;
}

export interface DescribedColumn {
  name: string;
  duckType: string;
}

/** A type of node: what of its configuration is SQL, and how its rows come about. */
export interface StepBuilder {
  sqlOf(
    nodeId: string,
    config: unknown,
    inputs: Step['inputs'],
  ): readonly (UserExpression | UserQuery)[];
  build(context: StepContext): Promise<Built> | Built;
}

export const onlyInput = ({ inputs }: StepContext): Relation => {
  const [input] = inputs;
  if (!input) throw new RangeError('a step has no input');
  return input;
};

export const computed = (name: string): DraftColumn => ({
  name,
  type: undefined,
  nullable: true,
  held: 'typed',
});

/** In the place of the old one of its name, or behind all others. */
export const withColumn = (
  columns: readonly DraftColumn[],
  column: DraftColumn,
): readonly DraftColumn[] => {
  const place = columns.findIndex(({ name }) => name === column.name);
  return place < 0 ? [...columns, column] : columns.with(place, column);
};
