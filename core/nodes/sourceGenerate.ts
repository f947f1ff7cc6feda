import { Type } from '@sinclair/typebox';
import type { Static } from '@sinclair/typebox';
import { dataTypeWords, parseDataType } from '../dataTypes.js';
import type { Issue } from '../errors.js';
import { generatedColumn, generatorWords } from '../generate/columns.js';
import type { GeneratedColumn } from '../generate/columns.js';
import { inlineField } from '../generate/inlineField.js';
import { duplicates } from './columnNames.js';
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

const wrong = (pointer: string, message: string): Issue => ({ pointer, code: 'value', message });

const ordered = (min: number, max: number, at: string): Issue[] =>
  min > max ? [wrong(`${at}/max`, 'max is below min.')] : [];

const checkMoments = (from: string, to: string | undefined, at: string): Issue[] => {
  if (Number.isNaN(Date.parse(from))) return [wrong(`${at}/from`, 'There is no such day or time.')];
  if (to === undefined) return [];
  if (Number.isNaN(Date.parse(to))) return [wrong(`${at}/to`, 'There is no such day or time.')];
  return Date.parse(from) > Date.parse(to) ? [wrong(`${at}/to`, 'to is before from.')] : [];
};

const checkColumn = (column: GeneratedColumn, at: string): Issue[] => {
  switch (column.generator) {
    case 'integer':
    case 'double':
      return ordered(column.min, column.max, at);
    case 'decimal': {
      if (column.scale > column.precision)
        return [wrong(`${at}/scale`, 'scale is above precision.')];
      const bound = 10 ** (column.precision - column.scale);
      const fits = Math.abs(column.min) < bound && Math.abs(column.max) < bound;
      if (!fits)
        return [wrong(at, `The bounds do not fit decimal(${column.precision},${column.scale}).`)];
      return ordered(column.min, column.max, at);
    }
    case 'text':
      return ordered(column.minWords ?? 1, column.maxWords ?? 5, at);
    case 'choice': {
      const { values, weights } = column;
      if (!weights) return [];
      if (weights.length !== values.length)
        return [wrong(`${at}/weights`, 'One weight for each value.')];
      return weights.some((weight) => weight > 0)
        ? []
        : [wrong(`${at}/weights`, 'All weights are 0.')];
    }
    case 'timestamp':
      return (column.to === undefined) === (column.stepSeconds === undefined)
        ? [wrong(at, 'Give either to (random moments) or stepSeconds (one after the other).')]
        : checkMoments(column.from, column.to, at);
    case 'date':
      return checkMoments(column.from, column.to, at);
    case 'constant': {
      const type = parseDataType(column.type);
      if (!type)
        return [wrong(`${at}/type`, `Unknown type. Known are ${dataTypeWords.join(', ')}.`)];
      return inlineField(type, column.value) === undefined
        ? [wrong(`${at}/value`, `Not a ${column.type}.`)]
        : [];
    }
    case 'sequence':
    case 'boolean':
    case 'uuid':
    case 'name':
    case 'email':
      return [];
  }
};

export const sourceGenerate: NodeType = {
  type: 'source.generate',
  role: 'source',
  title: 'Generated rows',
  description: `Makes rows from a seed. Generators: ${generatorWords.join(', ')}.`,
  inputs: [],
  outputs: ['out'],
  config,
  check: (value, at) => {
    const { columns } = value as SourceGenerateConfig;
    return [
      ...duplicates(
        columns.map(({ name }) => name),
        at,
      ),
      ...columns.flatMap((column, index) => checkColumn(column, `${at}/columns/${index}`)),
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
