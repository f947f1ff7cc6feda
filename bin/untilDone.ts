import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { StartError } from './main.js';

const giveUpAfterMs = 120_000;
const betweenMs = 1_000;

/** Something at start-up that other processes may not be ready for yet. */
export const untilDone = async <T>(
  what: string,
  log: Logger,
  attempt: () => Promise<T>,
): Promise<T> => {
  const end = performance.now() + giveUpAfterMs;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (performance.now() > end) {
        throw new StartError(`${what} did not answer for two minutes: ${(error as Error).message}`);
      }
      log.warn({ err: error }, `${what} is not there yet`);
      await delay(betweenMs);
    }
  }
};
