import type { Column } from '../../connectors/connector.js';
import { typeOfKind, widerKind } from './valueKind.js';
import type { ValueKind } from './valueKind.js';

export interface NamedKind {
  name: string;
  kind: ValueKind;
}

/**
 * The columns of several files as one list: by name, in the order in which they first appear, each
 * with a type that holds the values of all. Names are the same whose `idOf` is.
 */
export const mergeKinds = (
  files: readonly (readonly NamedKind[])[],
  idOf = (name: string): string => name.toLowerCase(),
): Column[] => {
  const merged = new Map<string, NamedKind>();
  for (const { name, kind } of files.flat()) {
    const id = idOf(name);
    const known = merged.get(id);
    merged.set(
      id,
      known ? { name: known.name, kind: widerKind(known.kind, kind) } : { name, kind },
    );
  }
  return [...merged.values()].map(({ name, kind }) => ({
    name,
    type: typeOfKind(kind),
    nullable: true,
  }));
};
