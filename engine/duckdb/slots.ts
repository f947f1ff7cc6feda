/** Lets so many in at once, the others in the order in which they came. */
export interface Slots {
  /** Resolves with what leaves the slot again; rejects when the signal aborts first. */
  enter(signal: AbortSignal): Promise<() => void>;
}

export const makeSlots = (count: number): Slots => {
  let free = count;
  const waiting = new Set<() => void>();

  const leave = (): void => {
    const [next] = waiting;
    if (!next) {
      free += 1;
      return;
    }
    waiting.delete(next);
    next();
  };

  return {
    enter: async (signal) => {
      signal.throwIfAborted();
      if (free > 0) free -= 1;
      else {
        await new Promise<void>((resolve, reject) => {
          const admit = (): void => {
            signal.removeEventListener('abort', giveUp);
            resolve();
          };
          const giveUp = (): void => {
            waiting.delete(admit);
            reject(signal.reason as Error);
          };
          waiting.add(admit);
          signal.addEventListener('abort', giveUp, { once: true });
        });
      }
      return leave;
    },
  };
};
