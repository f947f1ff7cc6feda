/** What the work comes to, unless the signal fires first: not all of it listens. */
export const untilAborted = async <T>(work: Promise<T>, signal: AbortSignal): Promise<T> => {
  let stop = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason as Error);
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    signal.throwIfAborted();
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
    // Nobody listens to what it still has to say.
    work.catch(() => undefined);
  }
};
