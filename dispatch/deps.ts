import type { Client, WorkflowHandle } from '@temporalio/client';
import type { Logger } from 'pino';
import { workflowIdOf } from '../core/jobs.js';
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

const callTimeoutMs = 10_000;

/** Every call to Temporal ends within ten seconds, whatever the network does. */
export const bounded = <T>(client: Client, call: () => Promise<T>): Promise<T> =>
  client.withDeadline(Date.now() + callTimeoutMs, call);

/** The workflow of a job. */
export const handleOf = (
  { client, settings }: Pick<DispatchDeps, 'client' | 'settings'>,
  job: { type: string; id: string },
): WorkflowHandle => client.workflow.getHandle(settings.prefix + workflowIdOf(job));
