import { isCalendarDay, isTimeOfDay } from '../calendar.js';
import { dataTypeWords, parseDataType } from '../dataTypes.js';
import type { Issue } from '../errors.js';
import { checkName } from '../names.js';
import type { ColumnOf, GeneratedColumn } from './columns.js';
import { inlineField } from './inlineField.js';
import { toUnits } from './units.js';

const wrong = (pointer: string, message: string): Issue => ({ pointer, code: 'value', message });

const lastMoment = Date.parse('9999-12-31T23:59:59.999Z');

const checkRange = (min: number, max: number, at: string): Issue[] => {
  if (min > max) return [wrong(`${at}/max`, 'max is below min.')];
  // Beyond this, the distance itself is no longer a number that is counted in exactly.
  return max - min <= Number.MAX_SAFE_INTEGER
    ? []
    : [wrong(`${at}/max`, 'max and min are more than 2^53 − 1 apart.')];
};

const checkDecimal = (column: ColumnOf<'decimal'>, at: string): Issue[] => {
  const { precision, scale, min, max } = column;
  if (scale > precision) return [wrong(`${at}/scale`, 'scale is above precision.')];
  if (min > max) return [wrong(`${at}/max`, 'max is below min.')];
  const [least, most] = [toUnits(min, scale, 'up'), toUnits(max, scale, 'down')];
  const fits = Math.max(Math.abs(least), Math.abs(most)) < 10 ** precision;
  if (!fits) return [wrong(at, `min and max do not fit decimal(${precision},${scale}).`)];
  const places = `A number of ${scale} decimal places does not lie between min and max.`;
  return least > most ? [wrong(at, places)] : [];
};

const checkDouble = ({ min, max }: ColumnOf<'double'>, at: string): Issue[] => {
  if (min > max) return [wrong(`${at}/max`, 'max is below min.')];
  return Number.isFinite(max - min) ? [] : [wrong(`${at}/max`, 'max and min are too far apart.')];
};

const checkText = ({ minWords = 1, maxWords = 5 }: ColumnOf<'text'>, at: string): Issue[] =>
  minWords > maxWords
    ? [wrong(`${at}/maxWords`, `maxWords (${maxWords}) is below minWords (${minWords}).`)]
    : [];

const checkTyped = (word: string, values: readonly [string, unknown][], at: string): Issue[] => {
  const type = parseDataType(word);
  if (!type) return [wrong(`${at}/type`, `Unknown type. Known are ${dataTypeWords.join(', ')}.`)];
  return values
    .filter(([, value]) => inlineField(type, value) === undefined)
    .map(([pointer]) => wrong(`${at}${pointer}`, `Not a ${word}.`));
};

const checkWeights = ({ values, weights }: ColumnOf<'choice'>, at: string): Issue[] => {
  if (!weights) return [];
  if (weights.length !== values.length) return [wrong(`${at}/weights`, 'One weight per value.')];
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  if (total === 0) return [wrong(`${at}/weights`, 'All weights are 0.')];
  return Number.isFinite(total) ? [] : [wrong(`${at}/weights`, 'The weights are too large.')];
};

const isMoment = (text: string): boolean =>
  isCalendarDay(text) && (text.length === 10 || isTimeOfDay(text.slice(11, -1)));

const checkMoments = (from: string, to: string | undefined, at: string): Issue[] => {
  if (!isMoment(from)) return [wrong(`${at}/from`, 'There is no such day or time.')];
  if (to === undefined) return [];
  if (!isMoment(to)) return [wrong(`${at}/to`, 'There is no such day or time.')];
  return Date.parse(from) > Date.parse(to) ? [wrong(`${at}/to`, 'to is before from.')] : [];
};

const checkTimestamp = (column: ColumnOf<'timestamp'>, rows: number, at: string): Issue[] => {
  const { from, to, stepSeconds } = column;
  if ((to === undefined) === (stepSeconds === undefined)) {
    return [wrong(at, 'Give either to (random moments) or stepSeconds (one after the other).')];
  }
  const issues = checkMoments(from, to, at);
  if (issues.length > 0 || stepSeconds === undefined) return issues;
  const last = Date.parse(from) + Math.max(0, rows - 1) * stepSeconds * 1000;
  return last <= lastMoment
    ? []
    : [wrong(`${at}/stepSeconds`, `After ${rows} steps the year 9999 is over.`)];
};

const checkSequence = (column: ColumnOf<'sequence'>, rows: number, at: string): Issue[] => {
  const { start = 1, step = 1 } = column;
  const way = Math.max(0, rows - 1) * step;
  return Number.isSafeInteger(way) && Number.isSafeInteger(start + way)
    ? []
    : [wrong(`${at}/step`, `After ${rows} steps the numbers are no longer exact (2^53 − 1).`)];
};

const checkGenerator = (column: GeneratedColumn, rows: number, at: string): Issue[] => {
  switch (column.generator) {
    case 'sequence':
      return checkSequence(column, rows, at);
    case 'integer':
      return checkRange(column.min, column.max, at);
    case 'decimal':
      return checkDecimal(column, at);
    case 'double':
      return checkDouble(column, at);
    case 'text':
      return checkText(column, at);
    case 'choice': {
      const values = column.values.map((value, index): [string, unknown] => [
        `/values/${index}`,
        value,
      ]);
      return [...checkTyped(column.type ?? 'text', values, at), ...checkWeights(column, at)];
    }
    case 'timestamp':
      return checkTimestamp(column, rows, at);
    case 'date':
      return checkMoments(column.from, column.to, at);
    case 'constant':
      return checkTyped(column.type, [['/value', column.value]], at);
    case 'boolean':
    case 'uuid':
    case 'name':
    case 'email':
      return [];
  }
};

/** What a column's schema cannot say: that its bounds, values and the number of rows agree. */
export const checkColumn = (column: GeneratedColumn, rows: number, at: string): Issue[] => [
  ...checkName(column.name, `${at}/name`),
  ...checkGenerator(column, rows, at),
];
