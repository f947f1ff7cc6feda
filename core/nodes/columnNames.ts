import type { Issue } from '../errors.js';

/** Column names that stand twice; a table cannot have them. */
export const duplicates = (names: readonly string[], at: string): Issue[] => {
  const seen = new Set<string>();
  return names.flatMap((name, index) => {
    if (!seen.has(name)) {
      seen.add(name);
      return [];
    }
    const message = 'Another column has this name.';
    return [{ pointer: `${at}/columns/${index}/name`, code: 'duplicate', message }];
  });
};
