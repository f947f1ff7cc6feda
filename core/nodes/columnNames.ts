import type { Issue } from '../errors.js';
import { checkName } from '../names.js';

type PointerOf = (index: number) => string;

const repeated = (keys: readonly string[], pointerOf: PointerOf, message: string): Issue[] => {
  const seen = new Set<string>();
  return keys.flatMap((key, index) => {
    if (!seen.has(key)) {
      seen.add(key);
      return [];
    }
    return [{ pointer: pointerOf(index), code: 'duplicate', message }];
  });
};

/** Names that columns get are told apart also by systems that ignore case. */
export const checkDistinct = (names: readonly string[], pointerOf: PointerOf): Issue[] =>
  repeated(
    names.map((name) => name.toLowerCase()),
    pointerOf,
    'Another column has this name; upper and lower case count as equal.',
  );

export const checkNewColumns = (names: readonly string[], pointerOf: PointerOf): Issue[] => [
  ...names.flatMap((name, index) => checkName(name, pointerOf(index))),
  ...checkDistinct(names, pointerOf),
];

/** A list that names columns which exist: each once. */
export const checkColumnList = (names: readonly string[], at: string): Issue[] => {
  const pointerOf = (index: number): string => `${at}/${index}`;
  return [
    ...names.flatMap((name, index) => checkName(name, pointerOf(index))),
    ...repeated(names, pointerOf, 'This column is already in the list.'),
  ];
};
