import type { TSchema } from '@sinclair/typebox';
import { longestText } from './schemas/text.js';

/** Plain JSON Schema, as Ajv reads it and OpenAPI publishes it. */
export type JsonSchema = Readonly<Record<string, unknown>>;

export interface ShapeOptions {
  /** Objects that do not say whether they are open. */
  closeObjects: boolean;
  /** Texts and arrays that state no bound of their own get ours. */
  bounded: boolean;
}

const longestArray = 10_000;

const isObject = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Keywords whose value is one schema, a list of schemas, or a map of schemas. */
const single: ReadonlySet<string> = new Set([
  'items',
  'additionalProperties',
  'not',
  'propertyNames',
]);
const listed: ReadonlySet<string> = new Set(['anyOf', 'oneOf', 'prefixItems']);
const mapped: ReadonlySet<string> = new Set(['properties', 'patternProperties']);

const eachSchema = (schema: JsonSchema, change: (inner: JsonSchema, key: string) => JsonSchema) =>
  Object.fromEntries(
    Object.entries(schema).map(([key, value]): [string, unknown] => {
      if (single.has(key) && isObject(value)) return [key, change(value, key)];
      if ((listed.has(key) || key === 'allOf') && Array.isArray(value)) {
        return [key, (value as JsonSchema[]).map((inner) => change(inner, key))];
      }
      if (mapped.has(key) && isObject(value)) {
        const entries = Object.entries(value as Record<string, JsonSchema>);
        return [
          key,
          Object.fromEntries(entries.map(([name, inner]) => [name, change(inner, key)])),
        ];
      }
      return [key, value];
    }),
  );

/**
 * Our house rules for what a schema leaves unsaid: a copy without TypeBox's symbols in which objects
 * are closed and sizes bounded. Parts of an `allOf` stay open, or none would let the others' fields by.
 */
export const shape = (schema: TSchema | JsonSchema, options: ShapeOptions): JsonSchema => {
  const visit = (node: JsonSchema, inAllOf: boolean): JsonSchema => {
    const copy = eachSchema(node, (inner, key) => visit(inner, key === 'allOf'));
    if (options.closeObjects && !inAllOf && node['type'] === 'object') {
      copy['additionalProperties'] ??= false;
    }
    if (!options.bounded) return copy;
    if (node['type'] === 'array') copy['maxItems'] ??= longestArray;
    const sized = ['enum', 'const', 'format', 'maxLength'].some((keyword) => keyword in node);
    if (node['type'] === 'string' && !sized) copy['maxLength'] = longestText;
    return copy;
  };
  return visit(schema, false);
};

/** Every schema inside a schema, itself included. */
export const mapSchemas = (
  schema: JsonSchema,
  change: (node: JsonSchema) => JsonSchema,
): JsonSchema => change(eachSchema(schema, (inner) => mapSchemas(inner, change)));
