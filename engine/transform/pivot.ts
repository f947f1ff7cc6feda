import type { PivotConfig } from '../../core/nodes/transformPivot.js';
import { placeExpression } from '../../sql/gate.js';
import { quoteName, quoteText } from '../duckdb/quote.js';
import { groupingOf } from './aggregate.js';
import { computed, onlyInput } from './building.js';
import type { StepBuilder } from './building.js';
import type { UserExpression } from './expressions.js';
import { requireColumn, slot } from './relation.js';
import type { DraftColumn } from './relation.js';
import { namedPlaces, probeOf, rowNames, typedColumn } from './scope.js';

const expressionsOf = (nodeId: string, config: unknown): UserExpression[] =>
  (config as PivotConfig).using.map(({ name, expression }, index) => ({
    nodeId,
    place: `the expression of ${name ?? `using ${index + 1}`}`,
    text: expression,
    context: 'aggregate',
  }));

const cellColumn = quoteName(':cell');

/** Which of the values a row has, by its place in the list; NULL for all others. */
const cellOf = (column: DraftColumn, place: number, values: PivotConfig['values']): string => {
  const value = typedColumn(column, slot(place));
  const cases = values.map((each, index) => `WHEN ${quoteText(`${each}`)} THEN ${index}`);
  return `CASE ${value} ${cases.join(' ')} END`;
};

/** First one row for each group and value, then these side by side. */
export const pivotStep: StepBuilder = {
  sqlOf: expressionsOf,
  build: (context) => {
    const { nodeId } = context;
    const { sql: relation, columns } = onlyInput(context);
    const config = context.config as PivotConfig;
    const expressions = expressionsOf(nodeId, config);
    const names = rowNames(expressions.map((expression) => context.checked(expression)));
    const on = requireColumn(nodeId, columns, config.on);
    const used = new Set([on, ...namedPlaces(columns, names)]);
    const groupBy =
      config.groupBy ?? columns.flatMap(({ name }, place) => (used.has(place) ? [] : [name]));
    const cell = `${cellOf(columns[on] as DraftColumn, on, config.values)} AS ${cellColumn}`;
    const grouping = groupingOf(nodeId, relation, columns, groupBy, names, [cell]);
    const keys = grouping.keys.map((_, index) => quoteName(`:key${index}`));
    const from =
      `FROM (${grouping.scope})` +
      (grouping.groupBy === '' ? ` GROUP BY ${cellColumn}` : `${grouping.groupBy}, ${cellColumn}`);
    const results = expressions.map(
      ({ text }, index) => `${placeExpression(text)} AS ${quoteName(`:result${index}`)}`,
    );
    const cells = config.values.flatMap((value, place) =>
      config.using.map(({ name }, index) => ({
        name: name === undefined ? `${value}` : `${value}_${name}`,
        sql: `any_value(${quoteName(`:result${index}`)}) FILTER (WHERE ${cellColumn} = ${place})`,
      })),
    );
    const items = [...keys, ...cells.map(({ sql }) => sql)];
    const list = items.map((sql, index) => `${sql} AS ${slot(index)}`).join(', ');
    const byKeys = keys.length === 0 ? '' : ` GROUP BY ${keys.join(', ')}`;
    return {
      sql: () =>
        `SELECT ${list} FROM (SELECT ${[...keys, cellColumn, ...results].join(', ')} ${from})${byKeys}`,
      columns: [
        ...grouping.keys.map(({ column }) => column),
        ...cells.map(({ name }) => computed(name)),
      ],
      probes: expressions.map((expression) => probeOf(expression, columns, from)),
      rowByRow: false,
    };
  },
};
