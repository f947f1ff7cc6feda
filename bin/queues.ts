import { queues } from '../workflows/contract.js';
import type { Queue } from '../workflows/contract.js';
import { StartError } from './main.js';

export const allQueues = Object.values(queues);

export const makeQueueName =
  (prefix: string) =>
  (queue: Queue): string =>
    prefix + queue;

/** `--queues control,batch`; all of them without it. */
export const queuesFromArguments = (args: readonly string[]): readonly Queue[] => {
  const at = args.indexOf('--queues');
  if (at < 0) return allQueues;
  const wanted = (args[at + 1] ?? '').split(',').map((word) => word.trim());
  return wanted.map((word) => {
    const queue = allQueues.find((candidate) => candidate === word);
    if (queue) return queue;
    throw new StartError(`--queues ${word}: expected a list of ${allQueues.join(', ')}.`);
  });
};
