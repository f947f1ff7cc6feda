/** Random numbers that are the same for the same seed: a failure can be run again. */
export const seeded = (seed: number) => {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  return {
    /** From 0, below `end`. */
    below: (end: number): number => Math.floor(next() * end),
  };
};

/** FLX_TEST_SEED repeats a run; without it every run tries something else. */
export const testSeed = Number(process.env['FLX_TEST_SEED'] ?? Date.now() % 1_000_000);
