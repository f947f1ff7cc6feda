import type { AggregateConfig } from '../../core/nodes/transformAggregate.js';
import { placeExpression } from '../../sql/gate.js';
import { quoteName } from '../duckdb/quote.js';
import { computed, onlyInput } from './building.js';
import type { StepBuilder } from './building.js';
import type { UserExpression } from './expressions.js';
import { keyOf } from './keys.js';
import type { Key } from './keys.js';
import { requireColumn, slot } from './relation.js';
import type { DraftColumn } from './relation.js';
import { namedPlaces, probeOf, rowNames, scopeSql, typedAliases } from './scope.js';

const expressionsOf = (nodeId: string, config: unknown): UserExpression[] =>
  (config as AggregateConfig).aggregates.map(({ name, expression }) => ({
    nodeId,
    place: `the expression of ${name}`,
    text: expression,
    context: 'aggregate',
  }));

export interface Grouping {
  keys: readonly Key[];
  /** For the FROM of whatever aggregates. */
  scope: string;
  groupBy: string;
}

/** What aggregates see: columns by name, and the keys, by name where an expression may use them. */
export const groupingOf = (
  nodeId: string,
  relation: string,
  columns: readonly DraftColumn[],
  groupBy: readonly string[],
  names: readonly string[],
  more: readonly string[] = [],
): Grouping => {
  const places = groupBy.map((name) => requireColumn(nodeId, columns, name));
  const keys = places.map((place) => keyOf(columns[place] as DraftColumn, place));
  const keyNames = keys.map((_, index) => quoteName(`:key${index}`));
  const aliases = typedAliases(nodeId, columns, namedPlaces(columns, names));
  const items = [...keys.map(({ sql }, index) => `${sql} AS ${keyNames[index] ?? ''}`), ...more];
  // An expression may name a key outside of its aggregates; equal keys are equal there, too.
  const named = keys.flatMap(({ column }) =>
    column.held === 'typed' && namedPlaces([column], names).size > 0
      ? [quoteName(column.name)]
      : [],
  );
  const all = [...keyNames, ...named];
  return {
    keys,
    scope: scopeSql(relation, items, aliases),
    groupBy: all.length === 0 ? '' : ` GROUP BY ${all.join(', ')}`,
  };
};

export const aggregateStep: StepBuilder = {
  sqlOf: expressionsOf,
  build: (context) => {
    const { nodeId } = context;
    const { sql: relation, columns } = onlyInput(context);
    const { groupBy, aggregates } = context.config as AggregateConfig;
    const expressions = expressionsOf(nodeId, context.config);
    const names = rowNames(expressions.map((expression) => context.checked(expression)));
    const grouping = groupingOf(nodeId, relation, columns, groupBy, names);
    const items = [
      ...grouping.keys.map((_, index) => `${quoteName(`:key${index}`)} AS ${slot(index)}`),
      ...expressions.map(
        ({ text }, index) => `${placeExpression(text)} AS ${slot(groupBy.length + index)}`,
      ),
    ];
    const from = `FROM (${grouping.scope})${grouping.groupBy}`;
    return {
      sql: () => `SELECT ${items.join(', ')} ${from}`,
      columns: [
        ...grouping.keys.map(({ column }) => column),
        ...aggregates.map(({ name }) => computed(name)),
      ],
      probes: expressions.map((expression) => probeOf(expression, columns, from)),
      rowByRow: false,
    };
  },
};
