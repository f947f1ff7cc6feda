import pino from 'pino';
import type { Logger } from 'pino';
import { ConfigError, loadConfig } from './config.js';
import type { Config } from './config.js';

/** Errors that are the operator's to mend are one line each; everything else is a defect. */
export class StartError extends Error {
  override readonly name = 'StartError';
}

export interface Started {
  /** Ends cleanly; called once, on the first signal. */
  stop(): Promise<void>;
}

const signalled = (): Promise<string> =>
  new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      process.once(signal, () => resolve(signal));
  });

/** Runs a process of ours from its configuration to its end. */
export const main = (
  name: string,
  start: (config: Config, log: Logger) => Promise<Started | undefined>,
): void => {
  const run = async (): Promise<void> => {
    const config = loadConfig(process.env);
    const log = pino({ name, level: config.logLevel });
    const started = await start(config, log);
    if (!started) return;
    const signal = await signalled();
    log.info({ signal }, 'stopping');
    await started.stop();
    log.info('stopped');
  };
  run().then(
    () => process.exit(0),
    (error: unknown) => {
      const known = error instanceof ConfigError || error instanceof StartError;
      console.error(known ? error.message : error);
      process.exit(1);
    },
  );
};
