import type { Client } from '@temporalio/client';
import type { Logger } from 'pino';
import type { Repos } from '../db/repos/index.js';
import type { InTransaction } from '../db/tx.js';
import type { Queue } from '../workflows/contract.js';

export interface DispatchDeps {
  repos: Repos;
  inTransaction: InTransaction;
  client: Client;
  log: Logger;
  settings: DispatchSettings;
}

export interface DispatchSettings {
  /** Full name of a queue: the installation's prefix and the word. */
  queueName(queue: Queue): string;
  /** Before every workflow and schedule id. */
  prefix: string;
  tickMs: number;
  heartbeatSeconds: number;
  /** A start claimed by a process that died is free again after this. */
  reclaimStartMs: number;
  resendCommandMs: number;
  /** A running job nobody has heard of for this long is looked up in Temporal. */
  silentMs: number;
}

/** Every call to Temporal ends within this, whatever the network does. */
export const callTimeoutMs = 10_000;
