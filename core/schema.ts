import type { TSchema } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import type { ValueError } from '@sinclair/typebox/value';
import type { Issue } from './errors.js';

const mostIssues = 20;

/** A union whose variants are told apart by one key says so as OpenAPI does. */
const discriminatorOf = (schema: TSchema): string | undefined =>
  (schema['discriminator'] as { propertyName: string } | undefined)?.propertyName;

const constantOf = (schema: TSchema | undefined): unknown => schema?.['const'];

/** The variant of a discriminated union that the value means to be: its faults are the news. */
const meantVariant = ({ schema, value, errors }: ValueError): Iterable<ValueError> | undefined => {
  const key = discriminatorOf(schema);
  if (key === undefined || typeof value !== 'object' || value === null) return undefined;
  const word: unknown = (value as Record<string, unknown>)[key];
  const variants = schema['anyOf'] as { properties: Record<string, TSchema> }[];
  return errors[variants.findIndex(({ properties }) => constantOf(properties[key]) === word)];
};

function* leaves(errors: Iterable<ValueError>): Generator<ValueError> {
  for (const error of errors) {
    const variant = meantVariant(error);
    if (variant) yield* leaves(variant);
    else yield error;
  }
}

/** The words that a union of constants, or the key of a discriminated one, may be. */
const choicesOf = (schema: TSchema): readonly unknown[] => {
  const key = discriminatorOf(schema);
  const variants = (schema['anyOf'] ?? []) as (TSchema & {
    properties?: Record<string, TSchema>;
  })[];
  const words = variants.map((variant) =>
    constantOf(key === undefined ? variant : variant.properties?.[key]),
  );
  return words.includes(undefined) ? [] : words;
};

const issueOf = ({ path, message, schema, value }: ValueError, at: string): Issue => {
  const key = discriminatorOf(schema);
  const inside = key !== undefined && typeof value === 'object' && value !== null;
  const choices = choicesOf(schema);
  const own = schema['errorMessage'] as string | undefined;
  return {
    pointer: `${at}${path}${inside ? `/${key}` : ''}`,
    code: 'schema',
    message: own ?? (choices.length > 0 ? `Expected one of ${choices.join(', ')}.` : `${message}.`),
  };
};

/**
 * What is wrong with a value, by JSON pointer below `at`; empty when it fits. One issue per place:
 * a property that is missing is also not a number, and that is no second fault.
 */
export const checkSchema = (schema: TSchema, value: unknown, at: string): Issue[] => {
  const issues = new Map<string, Issue>();
  for (const error of leaves(Value.Errors(schema, value))) {
    const issue = issueOf(error, at);
    if (!issues.has(issue.pointer)) issues.set(issue.pointer, issue);
    if (issues.size === mostIssues) break;
  }
  return [...issues.values()];
};
