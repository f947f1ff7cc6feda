import { Type } from '@sinclair/typebox';
import type { Static } from '@sinclair/typebox';
import type { Issue } from '../errors.js';
import { checkName, nameSchema } from '../names.js';
import { checkNewColumns } from './columnNames.js';
import { columnListSchema, columnsOptions, engineExpression, expressionSchema } from './fields.js';
import type { NodeType } from './nodeType.js';

const config = Type.Object({
  on: nameSchema('The column whose values become columns'),
  values: Type.Array(Type.Union([Type.String({ minLength: 1 }), Type.Number(), Type.Boolean()]), {
    ...columnsOptions,
    description: 'Those values, so that the columns are known before the data is',
    errorMessage: 'Expected a list of 1 to 1000 texts, numbers or booleans.',
  }),
  using: Type.Array(
    Type.Object({
      name: Type.Optional(nameSchema('Needed where there are several')),
      expression: expressionSchema('Over the rows of a cell, such as sum(amount)'),
    }),
    {
      minItems: 1,
      maxItems: 100,
      description: 'What stands in the cells',
      errorMessage: 'Expected a list of 1 to 100 expressions.',
    },
  ),
  groupBy: Type.Optional(
    columnListSchema('Which columns make a row. Default: all that are not otherwise used', {
      minItems: 0,
    }),
  ),
});

export type PivotConfig = Static<typeof config>;

/** What DuckDB calls the columns: the value, with a name behind it where there is one. */
const checkColumns = ({ values, using, groupBy = [] }: PivotConfig, at: string): Issue[] => {
  const made = values.flatMap((value, index) =>
    using.map(({ name }) => ({
      name: name === undefined ? `${value}` : `${value}_${name}`,
      index,
    })),
  );
  const names = [...groupBy, ...made.map(({ name }) => name)];
  return checkNewColumns(names, (index) => {
    const column = made[index - groupBy.length];
    return column ? `${at}/values/${column.index}` : `${at}/groupBy/${index}`;
  });
};

export const transformPivot: NodeType = {
  type: 'transform.pivot',
  role: 'transform',
  title: 'Pivot',
  description:
    'Turns the values of one column into columns: one for each value and expression, called ' +
    'after the value, or value_name where the expression has a name.',
  inputs: [{ port: 'in', many: false }],
  outputs: ['out'],
  config,
  connectionKeys: [],
  check: (value, at) => {
    const pivot = value as PivotConfig;
    const { on, using, groupBy = [] } = pivot;
    const nameless = using.flatMap(({ name }, index) => (name === undefined ? [index] : []));
    if (using.length > 1 && nameless.length > 0) {
      const message = 'Of several expressions each needs a name, which ends the column names.';
      return nameless.map((index) => ({
        pointer: `${at}/using/${index}/name`,
        code: 'required',
        message,
      }));
    }
    const used = groupBy.indexOf(on);
    const message = 'The column that becomes columns cannot make rows too.';
    return [
      ...checkName(on, `${at}/on`),
      ...(used < 0 ? [] : [{ pointer: `${at}/groupBy/${used}`, code: 'duplicate', message }]),
      ...checkColumns(pivot, at),
    ];
  },
  sqlIn: (value) =>
    (value as PivotConfig).using.map(({ expression }, index) =>
      engineExpression(`/using/${index}/expression`, expression),
    ),
  example: {
    on: 'quarter',
    values: ['Q1', 'Q2', 'Q3', 'Q4'],
    using: [{ expression: 'sum(amount)' }],
    groupBy: ['customer_id'],
  },
};
