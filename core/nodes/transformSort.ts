import { Type } from '@sinclair/typebox';
import type { Static } from '@sinclair/typebox';
import { checkOrder, orderSchema } from './fields.js';
import type { NodeType } from './nodeType.js';

const config = Type.Object({
  orderBy: orderSchema('By which columns, the most important first'),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'Only so many rows',
    }),
  ),
});

export type SortConfig = Static<typeof config>;

export const transformSort: NodeType = {
  type: 'transform.sort',
  role: 'transform',
  title: 'Sort',
  description: 'Orders rows, and with a limit keeps the first of them.',
  inputs: [{ port: 'in', many: false }],
  outputs: ['out'],
  config,
  connectionKeys: [],
  check: (value, at) => checkOrder((value as SortConfig).orderBy, `${at}/orderBy`),
  example: { orderBy: [{ column: 'amount', direction: 'desc', nulls: 'last' }], limit: 100 },
};
