import { Type } from '@sinclair/typebox';
import type { Static } from '@sinclair/typebox';
import { nameSchema } from '../names.js';
import { checkNewColumns } from './columnNames.js';
import { columnsOptions, engineExpression, expressionSchema } from './fields.js';
import type { NodeType } from './nodeType.js';

const config = Type.Object({
  columns: Type.Array(
    Type.Object({
      name: nameSchema(),
      expression: expressionSchema('Over the columns that arrive'),
    }),
    columnsOptions,
  ),
});

export type DeriveConfig = Static<typeof config>;

export const transformDerive: NodeType = {
  type: 'transform.derive',
  role: 'transform',
  title: 'Derive columns',
  description:
    'Adds columns that are worked out from those that arrive and those listed before; one whose ' +
    'name is there already takes its place.',
  inputs: [{ port: 'in', many: false }],
  outputs: ['out'],
  rowByRow: true,
  config,
  connectionKeys: [],
  check: (value, at) =>
    checkNewColumns(
      (value as DeriveConfig).columns.map(({ name }) => name),
      (index) => `${at}/columns/${index}/name`,
    ),
  sqlIn: (value) =>
    (value as DeriveConfig).columns.map(({ expression }, index) =>
      engineExpression(`/columns/${index}/expression`, expression),
    ),
  example: {
    columns: [
      { name: 'total', expression: 'price * quantity' },
      { name: 'email', expression: 'lower(trim(email))' },
    ],
  },
};
