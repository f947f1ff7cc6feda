import { Type } from '@sinclair/typebox';
import type { TUnsafe } from '@sinclair/typebox';

/** What a name, a description and so on may be, once for all routes. */
export const longestText = 10_000;

/** Something people call a thing by. Blank names help nobody, so one visible sign is needed. */
export const name = Type.String({ maxLength: 200, pattern: '\\S' });

export const description = Type.String({ maxLength: 4_000 });

/** A case-insensitive part of a name; `%` and `_` mean themselves. */
export const search = Type.String({ maxLength: 200 });

/** One of a few words: an enum reads better in OpenAPI, and in an error, than a union of consts. */
export const oneOf = <const Words extends readonly string[]>(
  words: Words,
  options: { description?: string; default?: Words[number] } = {},
): TUnsafe<Words[number]> =>
  Type.Unsafe<Words[number]>({ ...options, type: 'string', enum: [...words] });
