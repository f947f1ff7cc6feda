import { Type } from '@sinclair/typebox';
import type { Static } from '@sinclair/typebox';
import { checkName, nameSchema } from '../names.js';
import { engineExpression, expressionSchema, wordSchema } from './fields.js';
import type { NodeType } from './nodeType.js';

const config = Type.Object({
  kind: wordSchema(['inner', 'left', 'right', 'full', 'anti', 'semi'], {
    description: 'semi: left rows that have a match; anti: left rows that have none',
  }),
  on: Type.Optional(
    Type.Array(Type.Object({ left: nameSchema(), right: nameSchema() }), {
      minItems: 1,
      maxItems: 100,
      description: 'Pairs of columns that are equal',
      errorMessage: 'Expected a list of 1 to 100 pairs of columns.',
    }),
  ),
  condition: Type.Optional(
    expressionSchema('Instead of on: a condition in which the sides are called l and r'),
  ),
});

export type JoinConfig = Static<typeof config>;

export const transformJoin: NodeType = {
  type: 'transform.join',
  role: 'transform',
  title: 'Join',
  description:
    'Puts rows of two inputs side by side. All left columns come first, then the right ones: a ' +
    'key that is called the same on both sides appears once, and any other right column whose ' +
    'name is taken gets the suffix _right. semi and anti give left columns only.',
  inputs: [
    { port: 'left', many: false },
    { port: 'right', many: false },
  ],
  outputs: ['out'],
  config,
  connectionKeys: [],
  check: (value, at) => {
    const { on, condition } = value as JoinConfig;
    if ((on === undefined) === (condition === undefined)) {
      const message = 'Give either on (pairs of columns) or condition.';
      return [{ pointer: `${at}/on`, code: 'exactly_one', message }];
    }
    return (on ?? []).flatMap(({ left, right }, index) => [
      ...checkName(left, `${at}/on/${index}/left`),
      ...checkName(right, `${at}/on/${index}/right`),
    ]);
  },
  sqlIn: (value) => {
    const { condition } = value as JoinConfig;
    return condition === undefined ? [] : [engineExpression('/condition', condition)];
  },
  example: { kind: 'left', on: [{ left: 'customer_id', right: 'id' }] },
};
