import { Type } from '@sinclair/typebox';
import type { Static } from '@sinclair/typebox';
import { dataTypeWords } from '../dataTypes.js';
import { nameSchema } from '../names.js';

const common = {
  name: nameSchema(),
  nullRate: Type.Optional(
    Type.Number({ minimum: 0, maximum: 1, description: 'Share of NULLs, from 0 to 1' }),
  ),
};

const safe = Number.MAX_SAFE_INTEGER;
const safeInteger = (options = {}) => Type.Integer({ minimum: -safe, maximum: safe, ...options });
const moment = Type.String({
  pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d{1,3})?Z$',
  description: 'UTC, such as 2026-01-01T00:00:00Z',
  errorMessage: 'Expected a UTC timestamp such as 2026-01-01T00:00:00Z.',
});
const day = Type.String({
  pattern: '^\\d{4}-\\d{2}-\\d{2}$',
  description: 'Such as 2026-01-01',
  errorMessage: 'Expected a day such as 2026-01-01.',
});
const typeWord = { description: `One of ${dataTypeWords.join(', ')}` };

const sequence = Type.Object({
  ...common,
  generator: Type.Literal('sequence'),
  start: Type.Optional(safeInteger({ default: 1 })),
  step: Type.Optional(safeInteger({ default: 1 })),
});

const integer = Type.Object({
  ...common,
  generator: Type.Literal('integer'),
  min: safeInteger(),
  max: safeInteger({ description: 'Included' }),
});

const decimal = Type.Object({
  ...common,
  generator: Type.Literal('decimal'),
  precision: Type.Integer({ minimum: 1, maximum: 15 }),
  scale: Type.Integer({ minimum: 0, maximum: 15 }),
  min: Type.Number(),
  max: Type.Number({ description: 'Included' }),
});

const double = Type.Object({
  ...common,
  generator: Type.Literal('double'),
  min: Type.Number(),
  max: Type.Number(),
});

const boolean = Type.Object({
  ...common,
  generator: Type.Literal('boolean'),
  probability: Type.Optional(
    Type.Number({ minimum: 0, maximum: 1, default: 0.5, description: 'Share of true' }),
  ),
});

const text = Type.Object({
  ...common,
  generator: Type.Literal('text'),
  minWords: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000, default: 1 })),
  maxWords: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000, default: 5 })),
});

const choice = Type.Object({
  ...common,
  generator: Type.Literal('choice'),
  type: Type.Optional(Type.String({ ...typeWord, default: 'text' })),
  values: Type.Array(Type.Unknown(), {
    minItems: 1,
    maxItems: 10_000,
    description: 'Values of the type',
  }),
  weights: Type.Optional(
    Type.Array(Type.Number({ minimum: 0 }), { description: 'As many as there are values' }),
  ),
});

const timestamp = Type.Object({
  ...common,
  generator: Type.Literal('timestamp'),
  from: moment,
  to: Type.Optional({ ...moment, description: 'Random moments before this one' }),
  stepSeconds: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 31_536_000, description: 'One moment after the other' }),
  ),
});

const date = Type.Object({
  ...common,
  generator: Type.Literal('date'),
  from: day,
  to: { ...day, description: 'Included' },
});

const uuid = Type.Object({ ...common, generator: Type.Literal('uuid') });
const name = Type.Object({ ...common, generator: Type.Literal('name') });
const email = Type.Object({ ...common, generator: Type.Literal('email') });

const constant = Type.Object({
  ...common,
  generator: Type.Literal('constant'),
  type: Type.String(typeWord),
  value: Type.Unknown(),
});

const generators = [
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

export const generatedColumn = Type.Union([...generators], {
  discriminator: { propertyName: 'generator' },
});
export type GeneratedColumn = Static<typeof generatedColumn>;
export type ColumnOf<Generator extends GeneratedColumn['generator']> = Extract<
  GeneratedColumn,
  { generator: Generator }
>;
