import { parseDataType } from '../dataTypes.js';
import type { Column, DataType } from '../dataTypes.js';
import type { GeneratedColumn } from './columns.js';
import { csvText } from './csv.js';
import { makeDraw, makeUniform } from './hash.js';
import { inlineField } from './inlineField.js';
import { firstNames, lastNames, words } from './words.js';

/** The csv field of a column in a row. */
export type Maker = (row: number) => string;

const dayMs = 86_400_000;
const int32 = 2147483647;

const pick = <T>(list: readonly T[], draw: number): T => list[draw % list.length] as T;

const pad = (value: number, length: number): string => String(value).padStart(length, '0');

/** Whole units of the last decimal place: exact, since all of them are safe integers. */
const makeDecimal = (
  scale: number,
  min: number,
  max: number,
  uniform: (row: number) => number,
): Maker => {
  const unit = 10 ** scale;
  const least = Math.ceil(min * unit);
  const span = Math.floor(max * unit) - least + 1;
  return (row) => {
    const units = least + Math.floor(uniform(row) * span);
    if (scale === 0) return String(units);
    const size = Math.abs(units);
    const whole = Math.floor(size / unit);
    return `${units < 0 ? '-' : ''}${whole}.${pad(size - whole * unit, scale)}`;
  };
};

const makeChoice = (
  values: readonly string[],
  weights: readonly number[] | undefined,
  uniform: (row: number) => number,
): Maker => {
  const fields = values.map(csvText);
  if (!weights) return (row) => fields[Math.floor(uniform(row) * fields.length)] as string;
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  let sum = 0;
  const bounds = weights.map((weight) => (sum += weight) / total);
  return (row) => {
    const at = uniform(row);
    const index = bounds.findIndex((bound) => at < bound);
    return fields[index < 0 ? fields.length - 1 : index] as string;
  };
};

const makeText = (
  least: number,
  most: number,
  count: (row: number) => number,
  word: (row: number) => number,
): Maker => {
  const span = most - least + 1;
  return (row) => {
    const length = least + (count(row) % span);
    if (length === 0) return '""';
    let seed = word(row);
    let text = pick(words, seed);
    for (let index = 1; index < length; index++) {
      seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
      text += ` ${pick(words, seed >>> 8)}`;
    }
    return text;
  };
};

const makeUuid = (parts: readonly ((row: number) => number)[]): Maker => {
  const [a, b, c, d] = parts as [Maker2, Maker2, Maker2, Maker2];
  return (row) => {
    const hex = [a, b, c, d].map((part) => part(row).toString(16).padStart(8, '0')).join('');
    const variant = ((Number.parseInt(hex.charAt(16), 16) & 3) | 8).toString(16);
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`;
  };
};
type Maker2 = (row: number) => number;

/** What a column's values are, without its NULLs. */
const makeValue = (column: GeneratedColumn, seed: number, index: number): Maker => {
  const uniform = makeUniform(seed, index, 1);
  const draw = (purpose: number) => makeDraw(seed, index, purpose);
  switch (column.generator) {
    case 'sequence': {
      const { start = 1, step = 1 } = column;
      return (row) => String(start + row * step);
    }
    case 'integer':
      return makeDecimal(0, column.min, column.max, uniform);
    case 'decimal':
      return makeDecimal(column.scale, column.min, column.max, uniform);
    case 'double': {
      const { min, max } = column;
      return (row) => String(min + uniform(row) * (max - min));
    }
    case 'boolean': {
      const { probability = 0.5 } = column;
      return (row) => (uniform(row) < probability ? 'true' : 'false');
    }
    case 'text':
      return makeText(column.minWords ?? 1, column.maxWords ?? 5, draw(4), draw(5));
    case 'choice':
      return makeChoice(column.values, column.weights, uniform);
    case 'timestamp': {
      const from = Date.parse(column.from);
      const { stepSeconds } = column;
      if (stepSeconds !== undefined) {
        return (row) => new Date(from + row * stepSeconds * 1000).toISOString();
      }
      const span = Date.parse(column.to ?? column.from) - from;
      return (row) => new Date(from + Math.floor(uniform(row) * span)).toISOString();
    }
    case 'date': {
      const from = Date.parse(column.from);
      const days = (Date.parse(column.to) - from) / dayMs + 1;
      return (row) =>
        new Date(from + Math.floor(uniform(row) * days) * dayMs).toISOString().slice(0, 10);
    }
    case 'uuid':
      return makeUuid([draw(4), draw(5), draw(6), draw(7)]);
    case 'name': {
      const [first, last] = [draw(4), draw(5)];
      return (row) => `${pick(firstNames, first(row))} ${pick(lastNames, last(row))}`;
    }
    case 'email': {
      const [first, last] = [draw(4), draw(5)];
      return (row) =>
        `${pick(firstNames, first(row))}.${pick(lastNames, last(row))}.${row}@example.com`.toLowerCase();
    }
    case 'constant': {
      const field = inlineField(typeOf(column), column.value) ?? '';
      return () => field;
    }
  }
};

const typeOf = (column: GeneratedColumn): DataType => {
  switch (column.generator) {
    case 'sequence':
      return { kind: 'bigint' };
    case 'integer':
      return { kind: column.min >= -int32 && column.max <= int32 ? 'integer' : 'bigint' };
    case 'decimal':
      return { kind: 'decimal', precision: column.precision, scale: column.scale };
    case 'double':
    case 'boolean':
    case 'text':
    case 'uuid':
    case 'date':
      return { kind: column.generator };
    case 'timestamp':
      return { kind: 'timestamptz' };
    case 'choice':
    case 'name':
    case 'email':
      return { kind: 'text' };
    case 'constant':
      return parseDataType(column.type) ?? { kind: 'text' };
  }
};

export const columnOf = (column: GeneratedColumn): Column => ({
  name: column.name,
  type: typeOf(column),
  nullable:
    (column.nullRate ?? 0) > 0 || (column.generator === 'constant' && column.value === null),
});

export const makeColumn = (column: GeneratedColumn, seed: number, index: number): Maker => {
  const value = makeValue(column, seed, index);
  const { nullRate = 0 } = column;
  if (nullRate === 0) return value;
  const chance = makeUniform(seed, index, 8);
  return (row) => (chance(row) < nullRate ? '' : value(row));
};
