import { parseDataType } from '../dataTypes.js';
import type { ColumnOf, GeneratedColumn } from './columns.js';
import { makeDraw, makeUniform } from './hash.js';
import type { Draw } from './hash.js';
import { inlineField } from './inlineField.js';
import { dayMs, dayText, momentText } from './moments.js';
import { makeText, makeUuid, pick } from './texts.js';
import { toUnits } from './units.js';
import { firstNames, lastNames } from './words.js';

/** The csv field of a column in a row. */
export type Maker = (row: number) => string;

/** What a cell draws for; each column has its own, independent of its neighbours. */
const purposes = { value: 1, first: 4, second: 5, third: 6, fourth: 7, isNull: 8 } as const;

const makeInteger = (least: number, most: number, uniform: Draw): Maker => {
  const span = most - least + 1;
  return (row) => String(least + Math.floor(uniform(row) * span));
};

/** Drawn in whole units of the last decimal place, which are safe integers: every digit is exact. */
const makeDecimal = ({ scale, min, max }: ColumnOf<'decimal'>, uniform: Draw): Maker => {
  const least = toUnits(min, scale, 'up');
  const most = toUnits(max, scale, 'down');
  if (scale === 0) return makeInteger(least, most, uniform);
  const unit = 10 ** scale;
  const span = most - least + 1;
  return (row) => {
    const units = least + Math.floor(uniform(row) * span);
    const size = Math.abs(units);
    const whole = Math.floor(size / unit);
    const places = String(size - whole * unit).padStart(scale, '0');
    return `${units < 0 ? '-' : ''}${whole}.${places}`;
  };
};

const fieldsOf = (word: string, values: readonly unknown[]): string[] => {
  const type = parseDataType(word) ?? { kind: 'text' };
  return values.map((value) => inlineField(type, value) ?? '');
};

/** Where the shares of the values end in [0, 1). */
const boundsOf = (weights: readonly number[]): Float64Array => {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  let sum = 0;
  return Float64Array.from(weights, (weight) => (sum += weight) / total);
};

const firstAbove = (bounds: Float64Array, at: number): number => {
  let low = 0;
  let high = bounds.length - 1;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((bounds[middle] as number) > at) high = middle;
    else low = middle + 1;
  }
  return low;
};

const makeChoice = (
  { values, weights, type = 'text' }: ColumnOf<'choice'>,
  uniform: Draw,
): Maker => {
  const fields = fieldsOf(type, values);
  if (!weights) return (row) => fields[Math.floor(uniform(row) * fields.length)] as string;
  // Without the values of weight 0, rounding at the upper end can never pick one of them.
  const chosen = fields.filter((_, index) => (weights[index] ?? 0) > 0);
  const bounds = boundsOf(weights.filter((weight) => weight > 0));
  return (row) => chosen[firstAbove(bounds, uniform(row))] as string;
};

const makeTimestamp = (column: ColumnOf<'timestamp'>, uniform: Draw): Maker => {
  const from = Date.parse(column.from);
  const { stepSeconds } = column;
  if (stepSeconds !== undefined) {
    const step = stepSeconds * 1000;
    return (row) => momentText(from + row * step);
  }
  const span = Date.parse(column.to ?? column.from) - from;
  return (row) => momentText(from + Math.floor(uniform(row) * span));
};

const makeDate = ({ from, to }: ColumnOf<'date'>, uniform: Draw): Maker => {
  const first = Date.parse(from) / dayMs;
  const days = Date.parse(to) / dayMs - first + 1;
  return (row) => dayText(first + Math.floor(uniform(row) * days));
};

/** What a column's values are, without its NULLs. */
const makeValue = (column: GeneratedColumn, seed: number, index: number): Maker => {
  const draw = (purpose: keyof typeof purposes) => makeDraw(seed, index, purposes[purpose]);
  const uniform = makeUniform(seed, index, purposes.value);
  switch (column.generator) {
    case 'sequence': {
      const { start = 1, step = 1 } = column;
      return (row) => String(start + row * step);
    }
    case 'integer':
      return makeInteger(column.min, column.max, uniform);
    case 'decimal':
      return makeDecimal(column, uniform);
    case 'double': {
      const { min, max } = column;
      return (row) => String(min + uniform(row) * (max - min));
    }
    case 'boolean': {
      const { probability = 0.5 } = column;
      return (row) => (uniform(row) < probability ? 'true' : 'false');
    }
    case 'text':
      return makeText(column.minWords ?? 1, column.maxWords ?? 5, draw('first'), draw('second'));
    case 'choice':
      return makeChoice(column, uniform);
    case 'timestamp':
      return makeTimestamp(column, uniform);
    case 'date':
      return makeDate(column, uniform);
    case 'uuid':
      return makeUuid(draw('first'), draw('second'), draw('third'), draw('fourth'));
    case 'name': {
      const [first, last] = [draw('first'), draw('second')];
      return (row) => `${pick(firstNames, first(row))} ${pick(lastNames, last(row))}`;
    }
    case 'email': {
      const [first, last] = [draw('first'), draw('second')];
      const [names, families] = [firstNames, lastNames].map((list) =>
        list.map((word) => word.toLowerCase()),
      ) as [string[], string[]];
      // The row number makes every address another one.
      return (row) => `${pick(names, first(row))}.${pick(families, last(row))}.${row}@example.com`;
    }
    case 'constant': {
      const [field = ''] = fieldsOf(column.type, [column.value]);
      return () => field;
    }
  }
};

export const makeColumn = (column: GeneratedColumn, seed: number, index: number): Maker => {
  const value = makeValue(column, seed, index);
  const { nullRate = 0 } = column;
  if (nullRate === 0) return value;
  const chance = makeUniform(seed, index, purposes.isNull);
  return (row) => (chance(row) < nullRate ? '' : value(row));
};
