import { Type } from '@sinclair/typebox';
import type { Static } from '@sinclair/typebox';

const common = {
  name: Type.String({ minLength: 1, maxLength: 63 }),
  nullRate: Type.Optional(
    Type.Number({ minimum: 0, maximum: 1, description: 'Share of NULLs, from 0 to 1' }),
  ),
};

const safe = Number.MAX_SAFE_INTEGER;
const safeInteger = Type.Integer({ minimum: -safe, maximum: safe });
const moment = Type.String({
  pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d{1,3})?Z$',
  description: 'UTC, such as 2026-01-01T00:00:00Z',
});
const day = Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$', description: 'Such as 2026-01-01' });

export const sequence = Type.Object({
  ...common,
  generator: Type.Literal('sequence'),
  start: Type.Optional(Type.Integer({ minimum: -1e15, maximum: 1e15, default: 1 })),
  step: Type.Optional(Type.Integer({ minimum: -1000, maximum: 1000, default: 1 })),
});

export const integer = Type.Object({
  ...common,
  generator: Type.Literal('integer'),
  min: safeInteger,
  max: safeInteger,
});

export const decimal = Type.Object({
  ...common,
  generator: Type.Literal('decimal'),
  precision: Type.Integer({ minimum: 1, maximum: 15 }),
  scale: Type.Integer({ minimum: 0, maximum: 15 }),
  min: Type.Number(),
  max: Type.Number(),
});

export const double = Type.Object({
  ...common,
  generator: Type.Literal('double'),
  min: Type.Number(),
  max: Type.Number(),
});

export const boolean = Type.Object({
  ...common,
  generator: Type.Literal('boolean'),
  probability: Type.Optional(Type.Number({ minimum: 0, maximum: 1, default: 0.5 })),
});

export const text = Type.Object({
  ...common,
  generator: Type.Literal('text'),
  minWords: Type.Optional(Type.Integer({ minimum: 0, maximum: 10_000, default: 1 })),
  maxWords: Type.Optional(Type.Integer({ minimum: 0, maximum: 10_000, default: 5 })),
});

export const choice = Type.Object({
  ...common,
  generator: Type.Literal('choice'),
  values: Type.Array(Type.String({ maxLength: 10_000 }), { minItems: 1, maxItems: 10_000 }),
  weights: Type.Optional(
    Type.Array(Type.Number({ minimum: 0 }), { description: 'As many as there are values' }),
  ),
});

export const timestamp = Type.Object({
  ...common,
  generator: Type.Literal('timestamp'),
  from: moment,
  to: Type.Optional(moment),
  stepSeconds: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 31_536_000, description: 'One moment after the other' }),
  ),
});

export const date = Type.Object({
  ...common,
  generator: Type.Literal('date'),
  from: day,
  to: day,
});

export const uuid = Type.Object({ ...common, generator: Type.Literal('uuid') });
export const name = Type.Object({ ...common, generator: Type.Literal('name') });
export const email = Type.Object({ ...common, generator: Type.Literal('email') });

export const constant = Type.Object({
  ...common,
  generator: Type.Literal('constant'),
  type: Type.String(),
  value: Type.Unknown(),
});

export const generators = [
  sequence,
  integer,
  decimal,
  double,
  boolean,
  text,
  choice,
  timestamp,
  date,
  uuid,
  name,
  email,
  constant,
] as const;

export const generatorWords: readonly string[] = generators.map(
  (schema) => schema.properties.generator.const,
);

export const generatedColumn = Type.Union([...generators]);
export type GeneratedColumn = Static<typeof generatedColumn>;
