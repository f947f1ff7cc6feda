import type { Issue } from '../errors.js';

/** Stands for a batch of records, as an array, in the template of a body. */
export const recordsPlace = '{{records}}';
/** Stands for the one record of a batch. */
export const recordPlace = '{{record}}';

const isPlace = (value: unknown): boolean => value === recordsPlace || value === recordPlace;

const valuesIn = (template: unknown): unknown[] =>
  typeof template === 'object' && template !== null
    ? Object.values(template).flatMap(valuesIn)
    : [template];

const keysIn = (template: unknown): string[] =>
  typeof template === 'object' && template !== null
    ? Object.entries(template).flatMap(([key, value]) => [key, ...keysIn(value)])
    : [];

/** Whether a body of this template can hold one record only. */
export const takesOne = (template: unknown): boolean => valuesIn(template).includes(recordPlace);

export const checkBodyTemplate = (
  template: unknown,
  batchSize: number | undefined,
  at: string,
): Issue[] => {
  if (template === undefined) return [];
  if (valuesIn(template).filter(isPlace).length !== 1 || keysIn(template).some(isPlace)) {
    const message = `Expected "${recordsPlace}" or "${recordPlace}" once, as a value.`;
    return [{ pointer: at, code: 'template', message }];
  }
  if (!takesOne(template) || (batchSize ?? 1) === 1) return [];
  const message = `"${recordPlace}" is one record: leave batchSize out, or use "${recordsPlace}".`;
  return [{ pointer: at, code: 'template', message }];
};
