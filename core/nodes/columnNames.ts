import type { Issue } from '../errors.js';

/** Column names that stand twice; a table cannot have them. */
export const duplicates = (names: readonly string[], at: string): Issue[] =>
  names.flatMap((name, index) =>
    names.indexOf(name) === index
      ? []
      : [
          {
            pointer: `${at}/columns/${index}/name`,
            code: 'duplicate',
            message: 'Another column has this name.',
          },
        ],
  );
