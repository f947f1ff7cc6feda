import { Type } from '@sinclair/typebox';
import type { Static } from '@sinclair/typebox';
import { nameSchema } from '../names.js';
import { checkNewColumns } from './columnNames.js';
import { columnListSchema, columnsOptions, engineExpression, expressionSchema } from './fields.js';
import type { NodeType } from './nodeType.js';

const config = Type.Object({
  groupBy: columnListSchema('Rows that are equal in these columns become one. Empty: all rows', {
    minItems: 0,
  }),
  aggregates: Type.Array(
    Type.Object({
      name: nameSchema(),
      expression: expressionSchema('Over the rows of a group, such as sum(amount)'),
    }),
    { ...columnsOptions, minItems: 0, errorMessage: 'Expected a list of at most 1000 columns.' },
  ),
});

export type AggregateConfig = Static<typeof config>;

export const transformAggregate: NodeType = {
  type: 'transform.aggregate',
  role: 'transform',
  title: 'Aggregate',
  description: 'Makes one row of each group: the grouping columns, then the aggregates.',
  inputs: [{ port: 'in', many: false }],
  outputs: ['out'],
  config,
  connectionKeys: [],
  check: (value, at) => {
    const { groupBy, aggregates } = value as AggregateConfig;
    if (groupBy.length + aggregates.length === 0) {
      const message = 'Without groupBy and aggregates no column is left.';
      return [{ pointer: `${at}/aggregates`, code: 'required', message }];
    }
    return checkNewColumns([...groupBy, ...aggregates.map(({ name }) => name)], (index) =>
      index < groupBy.length
        ? `${at}/groupBy/${index}`
        : `${at}/aggregates/${index - groupBy.length}/name`,
    );
  },
  sqlIn: (value) =>
    (value as AggregateConfig).aggregates.map(({ expression }, index) =>
      engineExpression(`/aggregates/${index}/expression`, expression),
    ),
  example: {
    groupBy: ['customer_id'],
    aggregates: [
      { name: 'orders', expression: 'count(*)' },
      { name: 'spent', expression: 'sum(amount)' },
    ],
  },
};
