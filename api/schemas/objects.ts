import { Type } from '@sinclair/typebox';
import type { TProperties, TSchema, TUnion, TNull, TUnsafe } from '@sinclair/typebox';

/**
 * Objects in requests are closed unless they say otherwise: an unknown field is an error that names
 * it. An open one is kept verbatim, whatever else it carries.
 */
export const open = <Properties extends TProperties>(properties: Properties) =>
  Type.Object(properties, { additionalProperties: true });

/** `config`, `metadata`, `properties`: somebody else's object, not ours to judge. */
export const anyObject = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  additionalProperties: true,
});

export const nullable = <Schema extends TSchema>(schema: Schema): TUnion<[Schema, TNull]> =>
  Type.Union([schema, Type.Null()]);

/** A 63-bit integer: a number where that is exact, else a bigint (see `api/json.ts`). */
export const long: TUnsafe<number | bigint> = Type.Unsafe<number | bigint>({ int64: true });
