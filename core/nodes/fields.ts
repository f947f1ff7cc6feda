import { Type } from '@sinclair/typebox';
import type { TArray, TLiteral, TString, TUnion } from '@sinclair/typebox';
import { dataTypeWords, parseDataType } from '../dataTypes.js';
import type { Issue } from '../errors.js';
import { nameSchema } from '../names.js';
import { uuidPattern } from '../uuid.js';
import { checkColumnList } from './columnNames.js';
import type { ConfigSql } from './nodeType.js';

/** What several configs have in common: schemas of their fields, and what those cannot say. */

export const connectionIdSchema = (description: string): TString =>
  Type.String({
    pattern: uuidPattern,
    description,
    errorMessage: 'Expected the id of a connection.',
  });

/** Not blank, and without NUL, which no system takes in a statement. */
const sqlPattern = '^(?!\\s*$)[^\\u0000]*$';
const longestExpression = 20_000;
const longestQuery = 200_000;

export const expressionSchema = (description: string): TString =>
  Type.String({
    maxLength: longestExpression,
    pattern: sqlPattern,
    description,
    errorMessage: `Expected an SQL expression of 1 to ${longestExpression} characters.`,
  });

export const querySchema = (description: string): TString =>
  Type.String({
    maxLength: longestQuery,
    pattern: sqlPattern,
    description,
    errorMessage: `Expected an SQL query of 1 to ${longestQuery} characters.`,
  });

export const engineExpression = (pointer: string, sql: string): ConfigSql => ({
  pointer,
  sql,
  kind: 'expression',
  dialect: 'engine',
});

/** One word out of a list; what is wrong otherwise is said from the list itself. */
export const wordSchema = <const Words extends readonly string[]>(
  words: Words,
  options: { description?: string; default?: Words[number] } = {},
): TUnion<TLiteral<Words[number]>[]> =>
  Type.Union<TLiteral<Words[number]>[]>(
    words.map((word: Words[number]) => Type.Literal(word)),
    options,
  );

const mostColumns = 1_000;

export const columnListSchema = (
  description: string,
  { minItems = 1 }: { minItems?: number } = {},
): TArray<TString> =>
  Type.Array(nameSchema(), {
    minItems,
    maxItems: mostColumns,
    description,
    errorMessage: `Expected a list of ${minItems} to ${mostColumns} column names.`,
  });

/** A list of columns, each an object of its own. */
export const columnsOptions = {
  minItems: 1,
  maxItems: mostColumns,
  errorMessage: `Expected a list of 1 to ${mostColumns} columns.`,
} as const;

export const typeWordSchema = (description?: string): TString =>
  Type.String({
    description: [description, `One of ${dataTypeWords.join(', ')}`].filter(Boolean).join('. '),
    errorMessage: `Expected one of ${dataTypeWords.join(', ')}.`,
  });

export const checkTypeWord = (word: string, pointer: string): Issue[] => {
  if (parseDataType(word) !== undefined) return [];
  const message = `Unknown type. Known are ${dataTypeWords.join(', ')}.`;
  return [{ pointer, code: 'unknown_type', message }];
};

const directionSchema = wordSchema(['asc', 'desc']);
const orderOptions = {
  minItems: 1,
  maxItems: 100,
  errorMessage: 'Expected a list of 1 to 100 columns with a direction each.',
} as const;

export const winnerOrderSchema = (description: string) =>
  Type.Array(Type.Object({ column: nameSchema(), direction: directionSchema }), {
    ...orderOptions,
    description,
  });

export const orderSchema = (description: string) =>
  Type.Array(
    Type.Object({
      column: nameSchema(),
      direction: directionSchema,
      nulls: Type.Optional(
        wordSchema(['first', 'last'], { description: 'Where NULLs go. Default: last' }),
      ),
    }),
    { ...orderOptions, description },
  );

export const checkOrder = (
  orderBy: readonly { column: string }[] | undefined,
  at: string,
): Issue[] =>
  checkColumnList(
    (orderBy ?? []).map(({ column }) => column),
    at,
  ).map((issue) => ({ ...issue, pointer: `${issue.pointer}/column` }));

export const maxErrorsSchema = () =>
  Type.Integer({
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    default: 0,
    description: 'How many rows may become dead letters before the run fails',
  });
