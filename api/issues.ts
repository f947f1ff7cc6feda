import type { ErrorObject } from 'ajv';
import type { Issue } from '../core/errors.js';
import { pointerStep } from './wireText.js';

const mostIssues = 100;
/** Sorting out unions looks at pairs; ten thousand wrong items need not all be looked at. */
const mostErrors = 500;

const words: Readonly<Record<string, string>> = {
  required: 'required',
  additionalProperties: 'unknown_field',
  unevaluatedProperties: 'unknown_field',
  type: 'type',
  enum: 'enum',
  const: 'enum',
  format: 'format',
  pattern: 'pattern',
  minLength: 'too_short',
  minItems: 'too_short',
  maxLength: 'too_long',
  maxItems: 'too_long',
  minimum: 'range',
  maximum: 'range',
  exclusiveMinimum: 'range',
  exclusiveMaximum: 'range',
  uniqueItems: 'repeated',
};

const formats: Readonly<Record<string, string>> = {
  uuid: 'Must be an id (a lower-case UUID).',
  'timestamp-input': 'Must be a timestamp such as 2026-11-21T03:11:21Z or 2026-11-21.',
  email: 'Must be an e-mail address.',
  uri: 'Must be a URL.',
};

const patterns: Readonly<Record<string, string>> = {
  '\\S': 'Must not be blank.',
};

const text = (value: unknown): string => JSON.stringify(value);

const messageOf = ({ keyword, params, message }: ErrorObject): string => {
  const detail = params as Readonly<Record<string, unknown>>;
  switch (keyword) {
    case 'required':
      return `The field ${text(detail['missingProperty'])} is required.`;
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return `There is no field ${text(detail['additionalProperty'] ?? detail['unevaluatedProperty'])} here.`;
    case 'enum':
      return `Must be one of ${(detail['allowedValues'] as unknown[]).map(text).join(', ')}.`;
    case 'const':
      return `Must be ${text(detail['allowedValue'])}.`;
    case 'format':
      return formats[String(detail['format'])] ?? `Must be a ${String(detail['format'])}.`;
    case 'pattern':
      return patterns[String(detail['pattern'])] ?? `Must match ${String(detail['pattern'])}.`;
    case 'minLength':
      return `Must have at least ${String(detail['limit'])} characters.`;
    case 'maxLength':
      return `Must have at most ${String(detail['limit'])} characters.`;
    case 'int64':
      return 'Must be a 64-bit integer.';
    default:
      return message === undefined
        ? 'Invalid.'
        : `${message[0]?.toUpperCase()}${message.slice(1)}.`;
  }
};

const pointerOf = ({ keyword, instancePath, params }: ErrorObject): string => {
  const detail = params as Readonly<Record<string, string | undefined>>;
  const name =
    keyword === 'required'
      ? detail['missingProperty']
      : (detail['additionalProperty'] ?? detail['unevaluatedProperty']);
  return name === undefined ? instancePath : instancePath + pointerStep(name);
};

const toIssue = (error: ErrorObject): Issue => ({
  pointer: pointerOf(error),
  code: words[error.keyword] ?? 'invalid',
  message: messageOf(error),
});

/** Errors of the branches of one failed union, grouped by branch. */
const branches = (union: ErrorObject, errors: readonly ErrorObject[]): ErrorObject[][] => {
  const groups = new Map<string, ErrorObject[]>();
  for (const error of errors) {
    if (error === union || !error.schemaPath.startsWith(`${union.schemaPath}/`)) continue;
    if (!error.instancePath.startsWith(union.instancePath)) continue;
    const branch = error.schemaPath.slice(union.schemaPath.length + 1).split('/', 1)[0] ?? '';
    groups.set(branch, [...(groups.get(branch) ?? []), error]);
  }
  return [...groups.values()];
};

/**
 * A union fails with the errors of all its branches. Those of another type than the value's are
 * noise ("must be null" for a name that is too long); when only they are left, they are one issue.
 */
const withoutUnionNoise = (errors: readonly ErrorObject[]): readonly ErrorObject[] => {
  const union = errors.find(({ keyword }) => keyword === 'anyOf' || keyword === 'oneOf');
  if (!union) return errors;
  const all = branches(union, errors);
  const rest = errors.filter((error) => error !== union && !all.flat().includes(error));
  const wrongType = (branch: ErrorObject[]): boolean =>
    branch.some(
      ({ keyword, instancePath }) => keyword === 'type' && instancePath === union.instancePath,
    );
  const close = all.filter((branch) => !wrongType(branch)).flat();
  if (close.length > 1 && close.every(({ keyword }) => keyword === 'const')) {
    const allowedValues = close.map(
      ({ params }) => (params as { allowedValue: unknown }).allowedValue,
    );
    return [{ ...union, keyword: 'enum', params: { allowedValues } }, ...withoutUnionNoise(rest)];
  }
  if (close.length > 0) return [...withoutUnionNoise(close), ...withoutUnionNoise(rest)];
  const types = all.flat().map(({ params }) => String((params as { type?: unknown }).type));
  return [
    { ...union, keyword: 'type', message: `must be ${[...new Set(types)].join(' or ')}` },
    ...withoutUnionNoise(rest),
  ];
};

/** What Ajv found, as the places and words that a client gets to see. */
export const toIssues = (errors: readonly ErrorObject[]): Issue[] => {
  const issues = new Map<string, Issue>();
  for (const error of withoutUnionNoise(errors.slice(0, mostErrors))) {
    const issue = toIssue(error);
    if (issues.size < mostIssues)
      issues.set(`${issue.pointer} ${issue.code} ${issue.message}`, issue);
  }
  return [...issues.values()];
};
