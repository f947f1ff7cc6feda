import { Type } from '@sinclair/typebox';
import type { TString } from '@sinclair/typebox';
import type { Issue } from './errors.js';
import { isStorableText, utf8Length } from './text.js';

/** PostgreSQL cuts longer names off in silence, and two of them may then be one. */
const mostBytes = 63;

/** The name of a table, a schema or a column. */
export const nameSchema = (description?: string): TString =>
  Type.String({
    minLength: 1,
    maxLength: mostBytes,
    ...(description === undefined ? {} : { description }),
    errorMessage: `Expected a name of 1 to ${mostBytes} characters.`,
  });

/** What the schema cannot say of a name: bytes are not characters. */
export const checkName = (name: string, pointer: string): Issue[] => {
  if (isStorableText(name) && utf8Length(name) <= mostBytes) return [];
  const message = `Expected a name of at most ${mostBytes} bytes in UTF-8, without NUL.`;
  return [{ pointer, code: 'name', message }];
};
