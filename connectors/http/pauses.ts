/** When to ask again, and how fast at all. */

const firstPauseMs = 250;
const longestPauseMs = 30_000;

/** Of those who ask at once, not all are to come back at once. */
const spreadMs = 500;

/** `Retry-After`: seconds, or a date. */
export const askedPauseMs = (header: string | undefined, nowMs: number): number | undefined => {
  if (header === undefined) return undefined;
  if (/^\d+(\.\d+)?$/.test(header.trim())) return Number(header) * 1_000;
  const until = /^[A-Z][a-z]+,? /.test(header) ? Date.parse(header) : NaN;
  return Number.isNaN(until) ? undefined : Math.max(0, until - nowMs);
};

/** How long to wait before the attempt after this one; `random` is from 0 to 1. */
export const pauseAfter = (attempt: number, askedMs: number | undefined, random: number): number =>
  askedMs === undefined
    ? Math.min(longestPauseMs, firstPauseMs * 3 ** (attempt - 1)) * (0.5 + random / 2)
    : askedMs + random * spreadMs;

/** Tells everybody who comes how long to wait, so that no more pass in a second. */
export const makePace = (perSecond: number | undefined) => {
  let next = 0;
  return (nowMs: number): number => {
    if (perSecond === undefined) return 0;
    const turn = Math.max(nowMs, next);
    next = turn + 1_000 / perSecond;
    return turn - nowMs;
  };
};
