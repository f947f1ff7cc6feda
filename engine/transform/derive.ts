import type { DeriveConfig } from '../../core/nodes/transformDerive.js';
import { placeExpression } from '../../sql/gate.js';
import { computed, onlyInput, withColumn } from './building.js';
import type { StepBuilder } from './building.js';
import type { CheckedSql, UserExpression } from './expressions.js';
import { lowerCase, placeOfColumn, slot, slots } from './relation.js';
import type { DraftColumn } from './relation.js';
import { namedPlaces, probeOf, rowNames, scopeSql, typedAliases } from './scope.js';
import type { Probe } from './scope.js';

interface Derived {
  name: string;
  expression: UserExpression;
  checked: CheckedSql;
}

const expressionsOf = (nodeId: string, config: unknown): UserExpression[] =>
  (config as DeriveConfig).columns.map(({ name, expression }) => ({
    nodeId,
    place: `the expression of ${name}`,
    text: expression,
    context: 'row',
  }));

/** Columns that are worked out side by side: none of them needs another one of the same level. */
const levelsOf = (derived: readonly Derived[]): Derived[][] => {
  const levels: Derived[][] = [];
  let made = new Set<string>();
  for (const each of derived) {
    const level = levels.at(-1);
    const needsLevel = rowNames([each.checked]).some((name) => made.has(lowerCase(name)));
    if (!level || needsLevel || made.has(lowerCase(each.name))) {
      levels.push([each]);
      made = new Set();
    } else level.push(each);
    made.add(lowerCase(each.name));
  }
  return levels;
};

interface Level {
  columns: readonly DraftColumn[];
  sql(carried: readonly string[]): string;
  probes: readonly Probe[];
}

const buildLevel = (nodeId: string, before: Level, level: readonly Derived[]): Level => {
  const { columns } = before;
  const names = rowNames(level.map(({ checked }) => checked));
  const aliases = typedAliases(nodeId, columns, namedPlaces(columns, names));
  const after = level.reduce((made, { name }) => withColumn(made, computed(name)), columns);
  const inPlace = new Map(
    level.map(({ name, expression }) => [placeOfColumn(after, name), expression]),
  );
  const items = after.map((_, index) => {
    const expression = inPlace.get(index);
    return expression ? `${placeExpression(expression.text)} AS ${slot(index)}` : slot(index);
  });
  const scope = (carried: readonly string[]): string =>
    scopeSql(`(${before.sql(carried)})`, [...slots(columns.length), ...carried], aliases);
  return {
    columns: after,
    sql: (carried) => `SELECT ${[...items, ...carried].join(', ')} FROM (${scope(carried)})`,
    probes: [
      ...before.probes,
      ...level.map(({ expression }) =>
        probeOf(expression, columns, `FROM (${scopeSql(`(${before.sql([])})`, [], aliases)})`),
      ),
    ],
  };
};

/** A column may use those before it in the list, and sees a replaced one as it is from there on. */
export const deriveStep: StepBuilder = {
  sqlOf: expressionsOf,
  build: (context) => {
    const { nodeId, config } = context;
    const { sql: relation, columns } = onlyInput(context);
    const derived = expressionsOf(nodeId, config).map((expression, index) => ({
      name: (config as DeriveConfig).columns[index]?.name ?? '',
      expression,
      checked: context.checked(expression),
    }));
    const start: Level = {
      columns,
      sql: (carried) =>
        `SELECT ${[...slots(columns.length), ...carried].join(', ')} FROM ${relation}`,
      probes: [],
    };
    const last = levelsOf(derived).reduce<Level>(
      (before, level) => buildLevel(nodeId, before, level),
      start,
    );
    return { ...last, rowByRow: true };
  },
};
