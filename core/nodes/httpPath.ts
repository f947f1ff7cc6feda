import { Type } from '@sinclair/typebox';
import type { TString } from '@sinclair/typebox';
import type { Issue } from '../errors.js';

const longestPath = 2_048;

export const httpPathSchema = (description: string): TString =>
  Type.String({
    maxLength: longestPath,
    description,
    errorMessage: `Expected a path of at most ${longestPath} characters, such as /orders.`,
  });

/** Steps to here or upwards, however they are written. */
const dots = /(^|\/)(\.|%2e){1,2}(\/|$)/i;

/** A path below a base address, which it must not leave. */
export const checkHttpPath = (path: string, pointer: string): Issue[] => {
  const refuse = (message: string): Issue[] => [{ pointer, code: 'path', message }];
  if (/[\s\u0000-\u001f\\#]/.test(path)) {
    return refuse('A path has no blanks, no \\ and no # in it: write them as %20, %5C and %23.');
  }
  const [way = ''] = path.split('?');
  if (/^\/\/|^[a-z][a-z0-9+.-]*:/i.test(way)) {
    return refuse("Expected a path below the connection's baseUrl, such as /orders.");
  }
  return dots.test(way) ? refuse('A path must not contain . or .. as a part.') : [];
};
