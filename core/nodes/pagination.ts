import { Type } from '@sinclair/typebox';
import type { Static } from '@sinclair/typebox';
import type { Issue } from '../errors.js';

const paramSchema = (description: string, byDefault?: string) =>
  Type.String({
    minLength: 1,
    maxLength: 200,
    description,
    ...(byDefault === undefined ? {} : { default: byDefault }),
    errorMessage: 'Expected the name of a query parameter.',
  });

export const recordPathSchema = (description: string) =>
  Type.String({
    maxLength: 1_000,
    description: `${description}: dotted (data.items), or a JSON pointer (/data/items)`,
    errorMessage: 'Expected a path such as data.items or /data/items.',
  });

const pageSize = (description: string) =>
  Type.Integer({
    minimum: 1,
    maximum: 100_000,
    description,
    errorMessage: 'Expected a page size of 1 to 100000.',
  });

export const defaultMaxPages = 10_000;

const common = {
  maxPages: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 1_000_000,
      default: defaultMaxPages,
      description: 'A source with more pages than this fails: nothing is left out in silence',
      errorMessage: 'Expected a number of pages from 1 to 1000000.',
    }),
  ),
};

const sized = {
  ...common,
  sizeParam: Type.Optional(paramSchema('The parameter that says how many records a page has')),
  pageSize: Type.Optional(pageSize('How many records a page is to have; sent as sizeParam')),
};

const byPage = Type.Object({
  type: Type.Literal('page'),
  param: Type.Optional(paramSchema('The parameter with the number of the page', 'page')),
  firstPage: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 1_000_000, default: 1, description: 'Its first number' }),
  ),
  ...sized,
});

const byOffset = Type.Object({
  type: Type.Literal('offset'),
  param: Type.Optional(paramSchema('The parameter with how many records are skipped', 'offset')),
  sizeParam: Type.Optional(paramSchema('The parameter with how many are wanted', 'limit')),
  pageSize: pageSize('How many records a page is to have'),
  totalPath: Type.Optional(
    recordPathSchema('Where an answer says how many records there are in all'),
  ),
  ...common,
});

const byCursor = Type.Object({
  type: Type.Literal('cursor'),
  param: Type.Optional(paramSchema('The parameter with the cursor', 'cursor')),
  cursorPath: Type.Optional(recordPathSchema('Where an answer has the cursor of the next page')),
  lastRecordPath: Type.Optional(
    recordPathSchema('Where the last record of a page has it, such as id'),
  ),
  ...sized,
});

const byLink = Type.Object({
  type: Type.Literal('link'),
  nextPath: Type.Optional(
    recordPathSchema('Where an answer has the next address. Default: its Link header'),
  ),
  ...sized,
});

export const paginationSchema = Type.Union([byPage, byOffset, byCursor, byLink], {
  discriminator: { propertyName: 'type' },
  description:
    'How the pages of an answer follow each other; they end with a page without records, or ' +
    'where there is no next one. Default: there is one',
});

export type Pagination = Static<typeof paginationSchema>;

export const checkPagination = (pagination: Pagination | undefined, at: string): Issue[] => {
  if (!pagination) return [];
  if (pagination.type === 'cursor') {
    const { cursorPath, lastRecordPath } = pagination;
    const message = 'Expected one of cursorPath and lastRecordPath.';
    const one = (cursorPath === undefined) !== (lastRecordPath === undefined);
    return one ? [] : [{ pointer: at, code: 'cursor', message }];
  }
  return [];
};
