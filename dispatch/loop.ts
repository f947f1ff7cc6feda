import type { Logger } from 'pino';
import { forwardCommands } from './commands.js';
import type { DispatchDeps } from './deps.js';
import { endLost } from './reconcile.js';
import { startAdmitted } from './starts.js';

export interface Dispatcher {
  /** Something may be to do: now, or right after what is being done. */
  wake: () => void;
  /** Ends after the round that is under way. */
  stop: () => Promise<void>;
}

/** What follows from a commit at once; the API does only this. */
export const dispatchNow = async (deps: DispatchDeps): Promise<void> => {
  await startAdmitted(deps);
  await forwardCommands(deps);
};

const report = async (log: Logger, duty: string, work: Promise<void>): Promise<void> => {
  try {
    await work;
  } catch (error) {
    log.warn({ err: error, duty }, 'dispatch failed; the next tick tries again');
  }
};

/**
 * The loop of a control worker: woken by LISTEN, and at every tick for whatever was missed. Wakes
 * during a round are one more round.
 */
export const startDispatcher = (deps: DispatchDeps): Dispatcher => {
  const { log, settings } = deps;
  let stopped = false;
  let wanted = false;
  let round: Promise<void> | undefined;

  const work = async (): Promise<void> => {
    await report(log, 'starts', startAdmitted(deps));
    await report(log, 'commands', forwardCommands(deps));
  };

  const wake = (): void => {
    wanted = true;
    if (stopped || round) return;
    wanted = false;
    round = work().finally(() => {
      round = undefined;
      if (wanted) wake();
    });
  };

  let looking: Promise<void> = Promise.resolve();
  const tick = setInterval(() => {
    wake();
    looking = looking.then(() => report(log, 'lost', endLost(deps)));
  }, settings.tickMs);
  wake();

  return {
    wake,
    stop: async () => {
      stopped = true;
      clearInterval(tick);
      await Promise.all([round, looking]);
    },
  };
};
