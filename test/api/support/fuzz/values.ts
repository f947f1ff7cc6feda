import fc from 'fast-check';
import type { JsonSchema } from '../../../../api/shape.js';

/**
 * Values that a schema allows. Ids are drawn as marks, `@@id:<collection or field>:<n>`, and become
 * ids that exist when the request is sent: what exists is only known then.
 */
export const idMark = (pool: string, at: number): string => `@@id:${pool}:${at}`;
export const idMarkForm = /^@@id:(.*):(\d+)$/;

const longestList = 4;
const longestString = 40;

const number = (schema: JsonSchema, keyword: string, fallback: number): number => {
  const value = schema[keyword];
  return typeof value === 'number' ? value : fallback;
};

const date = fc.date({
  min: new Date('2020-01-01'),
  max: new Date('2030-01-01'),
  noInvalidDate: true,
});

const formats: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  'timestamp-input': fc.oneof(
    date.map((moment) => moment.toISOString()),
    date.map((moment) => moment.toISOString().slice(0, 10)),
  ),
  'date-time': date.map((moment) => moment.toISOString()),
  email: fc.constantFrom('a@example.com', 'b.c@example.org'),
  uri: fc.constantFrom('https://example.com/', 'https://example.org/a?b=c'),
};

const text = (schema: JsonSchema, field: string): fc.Arbitrary<unknown> => {
  const format = String(schema['format']);
  if (format === 'uuid') return fc.nat(1_000).map((at) => idMark(field, at));
  const formatted = formats[format];
  if (formatted) return formatted;
  const { pattern } = schema;
  const shortest = number(schema, 'minLength', 0);
  const longest = number(schema, 'maxLength', longestString);
  if (typeof pattern === 'string') {
    return fc
      .stringMatching(new RegExp(pattern), { size: '-1' })
      .filter((drawn) => drawn.length >= shortest && drawn.length <= longest);
  }
  const maxLength = Math.max(shortest, Math.min(longest, longestString));
  return fc.string({ minLength: shortest, maxLength, unit: 'grapheme' });
};

const whole = (schema: JsonSchema): fc.Arbitrary<unknown> => {
  const min = number(schema, 'minimum', number(schema, 'exclusiveMinimum', -1_001) + 1);
  const max = number(schema, 'maximum', Math.max(min, 0) + 1_000);
  return fc.integer({ min, max });
};

type Properties = Readonly<Record<string, JsonSchema>>;

const object = (schema: JsonSchema): fc.Arbitrary<unknown> => {
  const properties = Object.entries((schema['properties'] ?? {}) as Properties);
  const required = new Set((schema['required'] ?? []) as string[]);
  const named = fc.record(
    Object.fromEntries(properties.map(([name, inner]) => [name, valueOf(inner, name)])),
    { requiredKeys: [...required] },
  );
  const [pattern] = Object.entries((schema['patternProperties'] ?? {}) as Properties);
  if (!pattern) return named;
  const keys = fc.stringMatching(new RegExp(pattern[0]), { size: '-1' });
  const more = fc.dictionary(keys, valueOf(pattern[1], ''), { maxKeys: longestList });
  return fc.tuple(named, more).map(([fields, others]) => ({ ...others, ...fields }));
};

export const valueOf = (schema: JsonSchema, field: string): fc.Arbitrary<unknown> => {
  if ('const' in schema) return fc.constant(schema['const']);
  if (Array.isArray(schema['enum'])) return fc.constantFrom(...(schema['enum'] as unknown[]));
  const union = (schema['anyOf'] ?? schema['oneOf']) as JsonSchema[] | undefined;
  if (union) return fc.oneof(...union.map((branch) => valueOf(branch, field)));
  const parts = schema['allOf'] as JsonSchema[] | undefined;
  if (parts) {
    return fc
      .tuple(...parts.map((part) => valueOf(part, field)))
      .map((values) => Object.assign({}, ...(values as object[])) as object);
  }
  switch (schema['type']) {
    case 'string':
      return text(schema, field);
    case 'integer':
    case 'number':
      return whole(schema);
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array': {
      const minLength = number(schema, 'minItems', 0);
      const maxLength = Math.max(minLength, Math.min(number(schema, 'maxItems', 99), longestList));
      const items = (schema['items'] ?? {}) as JsonSchema;
      return fc.array(valueOf(items, field), { minLength, maxLength });
    }
    case 'object':
      return object(schema);
    default:
      return schema['int64'] === true ? fc.integer() : fc.jsonValue({ maxDepth: 2 });
  }
};
