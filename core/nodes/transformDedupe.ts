import { Type } from '@sinclair/typebox';
import type { Static } from '@sinclair/typebox';
import { checkColumnList } from './columnNames.js';
import { checkOrder, columnListSchema, orderSchema, wordSchema } from './fields.js';
import type { NodeType } from './nodeType.js';

const config = Type.Object({
  keys: columnListSchema('Rows that are equal in these columns are one'),
  keep: wordSchema(['first', 'last'], { description: 'Which of them stays' }),
  orderBy: Type.Optional(
    orderSchema('What comes first and last among them. Default: nobody knows'),
  ),
});

export type DedupeConfig = Static<typeof config>;

export const transformDedupe: NodeType = {
  type: 'transform.dedupe',
  role: 'transform',
  title: 'Remove duplicates',
  description: 'Keeps one row of those with equal keys.',
  inputs: [{ port: 'in', many: false }],
  outputs: ['out'],
  config,
  connectionKeys: [],
  check: (value, at) => {
    const { keys, orderBy } = value as DedupeConfig;
    return [...checkColumnList(keys, `${at}/keys`), ...checkOrder(orderBy, `${at}/orderBy`)];
  },
  example: {
    keys: ['customer_id'],
    keep: 'last',
    orderBy: [{ column: 'updated_at', direction: 'asc' }],
  },
};
