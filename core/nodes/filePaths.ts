import type { Issue } from '../errors.js';
import { isStorableText } from '../text.js';

export const fileFormats = ['csv', 'json', 'jsonl', 'parquet'] as const;
export type FileFormat = (typeof fileFormats)[number];

export const longestPath = 1_024;

/** Steps to here or upwards, also where braces list alternatives. */
const dots = /(^|[/{,])\.\.?($|[/},])/;

/** A path below the root of a store, which it must not leave. A `/` may stand at its end. */
export const checkPath = (path: string, pointer: string): Issue[] => {
  const refuse = (message: string): Issue[] => [{ pointer, code: 'path', message }];
  if (!isStorableText(path)) return refuse('A path has no NUL in it.');
  if (/^[/\\]|^[a-z]:[/\\]|:\/\//i.test(path)) {
    return refuse("Expected a path relative to the connection's root, such as exports/orders.");
  }
  if (path.includes('\\')) return refuse('The parts of a path are separated by /.');
  if (path.includes('//')) return refuse('A part of this path is empty.');
  return dots.test(path) ? refuse('A path must not contain . or .. as a part.') : [];
};
