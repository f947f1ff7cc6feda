import { Type } from '@sinclair/typebox';

/** Of rows that somebody looks at. */
export const usualRows = 100;
export const mostRows = 10_000;

export const rowLimit = Type.Integer({
  minimum: 1,
  description: `How many rows at the most: ${usualRows} where nothing is said, ${mostRows} whatever is said.`,
});

const cell = Type.Union([Type.Null(), Type.Boolean(), Type.Number(), Type.String()]);

export const row = Type.Array(cell);
