import type { Topic } from './cluster.js';

/** Bits of the operations that a broker says a user may do on a topic. */
export const operations = { read: 3, write: 4 } as const;

/** Brokers that do not say it answer with this. */
const unknown = -(2 ** 31);

export const mayNot = ({ operations: allowed }: Topic, operation: number): boolean =>
  allowed !== unknown && (allowed & (1 << operation)) === 0;
