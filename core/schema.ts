import type { TSchema } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import type { Issue } from './errors.js';

const mostIssues = 20;

/** What is wrong with a value, by JSON pointer below `at`; empty when it fits. */
export const checkSchema = (schema: TSchema, value: unknown, at: string): Issue[] => {
  const issues: Issue[] = [];
  for (const { path, message, schema: part } of Value.Errors(schema, value)) {
    issues.push({
      pointer: `${at}${path}`,
      code: 'schema',
      message: (part['errorMessage'] as string | undefined) ?? message,
    });
    if (issues.length === mostIssues) break;
  }
  return issues;
};
