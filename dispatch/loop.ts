import type { Logger } from 'pino';
import { forwardCommands } from './commands.js';
import type { DispatchDeps } from './deps.js';
import { endLost } from './reconcile.js';
import { makeRounds } from './rounds.js';
import type { Rounds } from './rounds.js';
import { startAdmitted } from './starts.js';

/** A duty that fails is done again at the next tick; whoever woke it is not concerned. */
const report = async (log: Logger, duty: string, work: Promise<void>): Promise<void> => {
  try {
    await work;
  } catch (error) {
    log.warn({ err: error, duty }, 'dispatch failed; the next tick tries again');
  }
};

/** What follows from a commit at once. The API does only this, a worker's loop does it too. */
export const makeDispatcher = (deps: DispatchDeps): Rounds =>
  makeRounds(async () => {
    await report(deps.log, 'starts', startAdmitted(deps));
    await report(deps.log, 'commands', forwardCommands(deps));
  });

/** The loop of a control worker: woken by LISTEN, and at every tick for whatever was missed. */
export const startDispatcher = (deps: DispatchDeps): Rounds => {
  const prompt = makeDispatcher(deps);
  const looking = makeRounds(() => report(deps.log, 'lost', endLost(deps)));
  const tick = setInterval(() => {
    prompt.wake();
    looking.wake();
  }, deps.settings.tickMs);
  prompt.wake();
  return {
    wake: prompt.wake,
    stop: async () => {
      clearInterval(tick);
      await Promise.all([prompt.stop(), looking.stop()]);
    },
  };
};
