export interface Rounds {
  /** Something may be to do: now, or right after what is being done. */
  wake: () => void;
  /** No more rounds; resolves when the one under way has ended. */
  stop: () => Promise<void>;
}

/** One round of work at a time, however often it is asked for; wakes during a round are one more. */
export const makeRounds = (work: () => Promise<void>): Rounds => {
  let stopped = false;
  let wanted = false;
  let round: Promise<void> | undefined;

  const wake = (): void => {
    wanted = true;
    if (stopped || round) return;
    wanted = false;
    round = work().finally(() => {
      round = undefined;
      if (wanted) wake();
    });
  };

  return {
    wake,
    stop: async () => {
      stopped = true;
      await round;
    },
  };
};
