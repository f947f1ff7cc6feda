import { Type } from '@sinclair/typebox';
import type { Static } from '@sinclair/typebox';
import { checkColumn } from '../generate/checkColumn.js';
import { generatedColumn, generatorWords } from '../generate/columns.js';
import { checkDistinct } from './columnNames.js';
import type { NodeType } from './nodeType.js';

const config = Type.Object({
  rows: Type.Integer({ minimum: 0, maximum: 1e12 }),
  columns: Type.Array(generatedColumn, { minItems: 1, maxItems: 1000 }),
  seed: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 4294967295,
      default: 1,
      description: 'The same seed makes the same rows',
    }),
  ),
});

export type SourceGenerateConfig = Static<typeof config>;

export const sourceGenerate: NodeType = {
  type: 'source.generate',
  role: 'source',
  title: 'Generated rows',
  description: `Makes rows from a seed. Generators: ${generatorWords.join(', ')}.`,
  inputs: [],
  outputs: ['out'],
  config,
  connectionKeys: [],
  check: (value, at) => {
    const { columns, rows } = value as SourceGenerateConfig;
    return [
      ...checkDistinct(
        columns.map(({ name }) => name),
        (index) => `${at}/columns/${index}/name`,
      ),
      ...columns.flatMap((column, index) => checkColumn(column, rows, `${at}/columns/${index}`)),
    ];
  },
  example: {
    rows: 1000,
    seed: 7,
    columns: [
      { name: 'id', generator: 'sequence' },
      { name: 'customer', generator: 'name' },
      { name: 'amount', generator: 'decimal', precision: 10, scale: 2, min: 1, max: 999 },
    ],
  },
};
