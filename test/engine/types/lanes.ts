/** Work on a few things at a time, in their order. */
export const inLanes = async <T, R>(
  items: readonly T[],
  lanes: number,
  work: (item: T, place: number) => Promise<R>,
): Promise<R[]> => {
  const results: R[] = [];
  const queue = [...items.entries()];
  const lane = async (): Promise<void> => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      const [place, item] = next;
      results[place] = await work(item, place);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return results;
};
