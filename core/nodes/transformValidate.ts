import { Type } from '@sinclair/typebox';
import type { Static } from '@sinclair/typebox';
import type { Issue } from '../errors.js';
import { isStorableText } from '../text.js';
import { engineExpression, expressionSchema, wordSchema } from './fields.js';
import type { NodeType } from './nodeType.js';

const longestId = 100;

const config = Type.Object({
  rules: Type.Array(
    Type.Object({
      id: Type.String({
        minLength: 1,
        maxLength: longestId,
        description: 'What reports call the rule',
        errorMessage: `Expected a name of 1 to ${longestId} characters.`,
      }),
      expression: expressionSchema('A condition; a row breaks the rule where it is false or NULL'),
      severity: Type.Optional(
        wordSchema(['error', 'warning'], {
          default: 'error',
          description: 'Rows that break a warning go on and are counted',
        }),
      ),
    }),
    {
      minItems: 1,
      maxItems: 200,
      errorMessage: 'Expected a list of 1 to 200 rules.',
    },
  ),
  onFailure: wordSchema(['dlq', 'fail', 'warn'], {
    description:
      'What becomes of rows that break an error: dlq sets them aside as dead letters, fail ends ' +
      'the run, warn lets them go on and counts them',
  }),
});

export type ValidateConfig = Static<typeof config>;

const checkIds = ({ rules }: ValidateConfig, at: string): Issue[] => {
  const seen = new Set<string>();
  return rules.flatMap(({ id }, index) => {
    const pointer = `${at}/rules/${index}/id`;
    if (!isStorableText(id)) return [{ pointer, code: 'id', message: 'An id has no NUL in it.' }];
    if (seen.has(id)) {
      return [{ pointer, code: 'duplicate', message: 'Another rule has this id.' }];
    }
    seen.add(id);
    return [];
  });
};

export const transformValidate: NodeType = {
  type: 'transform.validate',
  role: 'transform',
  title: 'Validate',
  description: 'Holds rows against rules, and says what becomes of those that break one.',
  inputs: [{ port: 'in', many: false }],
  outputs: ['out'],
  rowByRow: true,
  config,
  connectionKeys: [],
  check: (value, at) => checkIds(value as ValidateConfig, at),
  sqlIn: (value) =>
    (value as ValidateConfig).rules.map(({ expression }, index) =>
      engineExpression(`/rules/${index}/expression`, expression),
    ),
  example: {
    rules: [
      { id: 'amount-positive', expression: 'amount > 0' },
      { id: 'email-looks-right', expression: "email LIKE '%@%'", severity: 'warning' },
    ],
    onFailure: 'dlq',
  },
};
