/**
 * Names that a header gives, made to differ: DuckDB and most destinations do not tell capitals from
 * small letters. An empty one is named after its place.
 */
export const differingNames = (given: readonly string[]): string[] => {
  const taken = new Set<string>();
  return given.map((name, index) => {
    const base = name.trim() === '' ? `column${index}` : name;
    let free = base;
    for (let number = 1; taken.has(free.toLowerCase()); number++) free = `${base}_${number}`;
    taken.add(free.toLowerCase());
    return free;
  });
};
