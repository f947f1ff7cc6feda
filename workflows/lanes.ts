import { CancellationScope } from '@temporalio/workflow';

/**
 * Works through items, at most `width` at a time, each lane taking the next as it gets free. After
 * the first failure nothing more is begun, what is under way is cancelled and waited for.
 */
export const inLanes = async <T>(
  items: readonly T[],
  width: number,
  work: (item: T) => Promise<void>,
): Promise<void> => {
  const waiting = items.values();
  const scope = new CancellationScope();
  const lane = async (): Promise<void> => {
    for (const item of waiting) await work(item);
  };
  await scope.run(async () => {
    const lanes = Array.from({ length: Math.min(width, items.length) }, lane);
    try {
      await Promise.all(lanes);
    } catch (error) {
      scope.cancel();
      await Promise.allSettled(lanes);
      throw error;
    }
  });
};
