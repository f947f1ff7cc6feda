import { Type } from '@sinclair/typebox';
import type { TSchema } from '@sinclair/typebox';
import type { RouteFacts } from './route.js';
import { shape } from './shape.js';
import type { JsonSchema } from './shape.js';

/** The names in the braces of a path, in order. */
export const paramNames = (path: string): string[] =>
  [...path.matchAll(/\{([^{}]+)\}/g)].map((match) => match[1] as string);

/**
 * The catalog's clients are many and not ours: fields and parameters that we do not know pass,
 * as its specification asks.
 */
export const tolerates = ({ envelope }: RouteFacts): boolean => envelope.family === 'iceberg';

const objectOf = (fields: Readonly<Record<string, TSchema>> | undefined): TSchema =>
  Type.Object({ ...fields });

export const querySchema = (route: RouteFacts): JsonSchema =>
  shape(objectOf(route.query), { closeObjects: false, bounded: true });

export const headerSchema = (route: RouteFacts): JsonSchema =>
  shape(objectOf(route.headers), { closeObjects: false, bounded: true });

/** A route without a body still accepts an empty object: many clients send one with every POST. */
export const bodySchema = (route: RouteFacts): JsonSchema => {
  const strict = !tolerates(route);
  return shape(route.body ?? Type.Object({}), { closeObjects: strict, bounded: strict });
};
