import { Type } from '@sinclair/typebox';
import type { Static } from '@sinclair/typebox';
import { engineExpression, expressionSchema } from './fields.js';
import type { NodeType } from './nodeType.js';

const config = Type.Object({
  where: expressionSchema('A condition; rows for which it is false or NULL are left out'),
});

export type FilterConfig = Static<typeof config>;

export const transformFilter: NodeType = {
  type: 'transform.filter',
  role: 'transform',
  title: 'Filter',
  description: 'Lets those rows through for which a condition holds.',
  inputs: [{ port: 'in', many: false }],
  outputs: ['out'],
  rowByRow: true,
  config,
  connectionKeys: [],
  sqlIn: (value) => [engineExpression('/where', (value as FilterConfig).where)],
  example: { where: "amount > 0 AND status <> 'draft'" },
};
