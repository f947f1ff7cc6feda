import { Type } from '@sinclair/typebox';

/** Bare lower-case UUID; in a path a malformed one is 404, elsewhere 400. */
export const id = Type.String({ format: 'uuid' });
