import type { JoinConfig } from '../../core/nodes/transformJoin.js';
import { placeExpression } from '../../sql/gate.js';
import { quoteName } from '../duckdb/quote.js';
import type { Relation, StepBuilder, StepContext } from './building.js';
import type { CheckedSql, UserExpression } from './expressions.js';
import { keyPair } from './keys.js';
import { requireColumn, slot, slots, stepFailure } from './relation.js';
import type { DraftColumn } from './relation.js';
import { namedPlaces, probeOf, scopeSql, typedAliases, typedColumn } from './scope.js';
import type { Probe } from './scope.js';

type Kind = 'inner' | 'left' | 'right' | 'full' | 'anti' | 'semi';

const words: Readonly<Record<Kind, string>> = {
  inner: 'INNER JOIN',
  left: 'LEFT JOIN',
  right: 'RIGHT JOIN',
  full: 'FULL JOIN',
  anti: 'ANTI JOIN',
  semi: 'SEMI JOIN',
};

interface Item {
  sql: string;
  column: DraftColumn;
}

interface Pair {
  left: number;
  right: number;
  /** The names are one, and so are the columns. */
  merged: boolean;
}

const conditionOf = (nodeId: string, config: unknown): UserExpression[] => {
  const { condition } = config as JoinConfig;
  return condition === undefined
    ? []
    : [{ nodeId, place: 'condition', text: condition, context: 'row' }];
};

const sidesOf = ({ inputs }: StepContext): readonly [Relation, Relation] => {
  const left = inputs.find(({ port }) => port === 'left');
  const right = inputs.find(({ port }) => port === 'right');
  if (!left || !right) throw new RangeError('a join has not two sides');
  return [left, right];
};

/** `l.name`, or a bare name, which DuckDB finds if only one side has it. */
const namesFor = (side: 'l' | 'r', { columns }: CheckedSql): string[] =>
  columns.flatMap(([first, second]) => {
    const qualified = first?.toLowerCase() === side && second !== undefined;
    return [...(first === undefined ? [] : [first]), ...(qualified ? [second] : [])];
  });

const nullableIf = (outer: boolean, column: DraftColumn): DraftColumn =>
  outer ? { ...column, nullable: true } : column;

/** Rows of one side may be missing, and the key is then the other side's. */
const mergedItem = (kind: Kind, left: DraftColumn, right: DraftColumn, pair: Pair): Item => {
  const l = `l.${slot(pair.left)}`;
  const r = `r.${slot(pair.right)}`;
  if (kind === 'inner' || kind === 'left') return { sql: l, column: left };
  const alike =
    left.held === 'text' &&
    right.held === 'text' &&
    JSON.stringify(left.type) === JSON.stringify(right.type);
  if (alike) {
    const { name, type, held, native } = left;
    const sameNative = native && JSON.stringify(native) === JSON.stringify(right.native);
    return {
      sql: `coalesce(${l}, ${r})`,
      column: {
        name,
        type,
        held,
        nullable: left.nullable || right.nullable,
        ...(sameNative ? { native } : {}),
      },
    };
  }
  return {
    sql: `coalesce(${typedColumn(left, l)}, ${typedColumn(right, r)})`,
    column: { name: left.name, type: undefined, nullable: true, held: 'typed' },
  };
};

const itemsOf = (
  nodeId: string,
  kind: Kind,
  [left, right]: readonly [Relation, Relation],
  pairs: readonly Pair[],
): Item[] => {
  const merged = pairs.filter((pair) => pair.merged);
  const items = left.columns.map((column, place): Item => {
    const pair = merged.find((each) => each.left === place);
    const other = pair && right.columns[pair.right];
    if (pair && other && kind !== 'semi' && kind !== 'anti') {
      return mergedItem(kind, column, other, pair);
    }
    return {
      sql: `l.${slot(place)}`,
      column: nullableIf(kind === 'right' || kind === 'full', column),
    };
  });
  if (kind === 'semi' || kind === 'anti') return items;
  const taken = new Set(items.map(({ column }) => column.name));
  for (const [place, column] of right.columns.entries()) {
    if (merged.some((pair) => pair.right === place)) continue;
    const name = taken.has(column.name) ? `${column.name}_right` : column.name;
    if (taken.has(name)) {
      throw stepFailure(nodeId, `Two columns would be called ${name}: rename one before the join.`);
    }
    taken.add(name);
    const outer = kind === 'left' || kind === 'full';
    items.push({
      sql: `r.${slot(place)}`,
      column: nullableIf(outer, { ...column, name }),
    });
  }
  return items;
};

interface Matching {
  /** Beside the columns of either side. */
  leftItems: string[];
  rightItems: string[];
  on: string;
  pairs: readonly Pair[];
  probes: readonly Probe[];
}

const byKeys = (
  nodeId: string,
  [left, right]: readonly [Relation, Relation],
  on: readonly { left: string; right: string }[],
): Matching => {
  const pairs = on.map((names) => ({
    left: requireColumn(nodeId, left.columns, names.left),
    right: requireColumn(nodeId, right.columns, names.right),
    merged: names.left === names.right,
  }));
  const keys = pairs.map((pair) =>
    keyPair(
      left.columns[pair.left] as DraftColumn,
      pair.left,
      right.columns[pair.right] as DraftColumn,
      pair.right,
    ),
  );
  const names = keys.map((_, index) => quoteName(`:key${index}`));
  return {
    leftItems: keys.map(([sql], index) => `${sql} AS ${names[index] ?? ''}`),
    rightItems: keys.map(([, sql], index) => `${sql} AS ${names[index] ?? ''}`),
    on: names.map((name) => `l.${name} = r.${name}`).join(' AND '),
    pairs,
    probes: [],
  };
};

const byCondition = (
  context: StepContext,
  [left, right]: readonly [Relation, Relation],
  condition: UserExpression,
): Matching => {
  const { nodeId } = context;
  const checked = context.checked(condition);
  const aliasesOf = (side: 'l' | 'r', { columns }: Relation): string[] =>
    typedAliases(nodeId, columns, namedPlaces(columns, namesFor(side, checked)));
  const leftItems = aliasesOf('l', left);
  const rightItems = aliasesOf('r', right);
  const from =
    `FROM (${scopeSql(left.sql, [], leftItems)}) AS l, ` +
    `(${scopeSql(right.sql, [], rightItems)}) AS r`;
  const known = [...left.columns, ...right.columns];
  return {
    leftItems,
    rightItems,
    on: placeExpression(condition.text),
    pairs: [],
    probes: [probeOf(condition, known, from, true)],
  };
};

export const joinStep: StepBuilder = {
  sqlOf: conditionOf,
  build: (context) => {
    const { nodeId, config } = context;
    const { kind, on = [] } = config as JoinConfig;
    const sides = sidesOf(context);
    const [left, right] = sides;
    const [condition] = conditionOf(nodeId, config);
    const match = condition ? byCondition(context, sides, condition) : byKeys(nodeId, sides, on);
    const items = itemsOf(nodeId, kind, sides, match.pairs);
    const list = items.map(({ sql }, index) => `${sql} AS ${slot(index)}`);
    const scopeOf = ({ sql, columns }: Relation, more: readonly string[]): string =>
      scopeSql(sql, slots(columns.length), more);
    return {
      sql: () =>
        `SELECT ${list.join(', ')} FROM (${scopeOf(left, match.leftItems)}) AS l ` +
        `${words[kind]} (${scopeOf(right, match.rightItems)}) AS r ON (${match.on})`,
      columns: items.map(({ column }) => column),
      probes: match.probes,
      rowByRow: false,
    };
  },
};
