import type { Logger } from 'pino';
import type { Repos } from '../db/repos/index.js';
import type { WorkerBeat } from '../db/repos/workers.js';

const everyMs = 3_000;

/** Says in Postgres that this worker is there (Temporal lists dead pollers for minutes). */
export const startBeat = (
  workers: Repos['workers'],
  log: Logger,
  beat: WorkerBeat,
): { stop(): Promise<void> } => {
  let last: Promise<void> = Promise.resolve();
  const say = (): void => {
    last = workers
      .beat(beat)
      .catch((error: unknown) => log.warn({ err: error }, 'could not write the heartbeat'));
  };
  const timer = setInterval(say, everyMs);
  say();
  return {
    stop: async () => {
      clearInterval(timer);
      await last;
      await workers
        .leave(beat.id)
        .catch((error: unknown) => log.warn({ err: error }, 'could not sign off'));
    },
  };
};
