import type { Client } from '@temporalio/client';
import type { Logger } from 'pino';
import type { Repos } from '../db/repos/index.js';
import type { InTransaction } from '../db/tx.js';
import type { DispatchDeps } from '../dispatch/deps.js';
import type { Config } from './config.js';
import { makeQueueName } from './queues.js';

const resendCommandMs = 30_000;

/** The same dispatcher for the API, which acts after its commits, and for the worker's loop. */
export const makeDispatchDeps = (
  { queuePrefix, work }: Config,
  parts: { repos: Repos; inTransaction: InTransaction; client: Client; log: Logger },
): DispatchDeps => ({
  ...parts,
  settings: {
    queueName: makeQueueName(queuePrefix),
    prefix: queuePrefix,
    tickMs: work.dispatchTickMs,
    heartbeatSeconds: work.heartbeatSeconds,
    reclaimStartMs: 2 * work.dispatchTickMs,
    resendCommandMs,
    silentMs: work.silentSeconds * 1000,
  },
});
