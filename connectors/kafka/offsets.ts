import { refusedBy, isPassing, brokerCodes } from './failures.js';
import { offsetsCall } from './calls.js';
import type { Cluster, Topic } from './cluster.js';
import type { Role } from '../manifest.js';

/** Words for moments that are none; see the protocol. */
export const earliest = -2;
export const latest = -1;

const mostAttempts = 8;

const byLeader = (topic: Topic, partitions: readonly number[]): number[][] => {
  const groups = new Map<number | undefined, number[]>();
  for (const partition of partitions) {
    const leader = topic.leaders.get(partition);
    groups.set(leader, [...(groups.get(leader) ?? []), partition]);
  }
  return [...groups.values()];
};

/**
 * The offset of the first message from a moment on (milliseconds, `earliest` or `latest`), by
 * partition; -1 where there is none. Only what is decided counts: an open transaction is the end.
 */
export const offsetsAt = async (
  cluster: Cluster,
  topic: Topic,
  timestamp: number,
  role: Role,
): Promise<Map<number, number>> => {
  const found = new Map<number, number>();
  let current = topic;
  let missing = [...topic.leaders.keys()];
  for (let attempt = 0; ; attempt += 1) {
    let code: number = brokerCodes.none;
    for (const partitions of byLeader(current, missing)) {
      const leader = await cluster.leader(current, partitions[0] ?? 0);
      const wanted = partitions.map((partition) => ({ partition, timestamp }));
      const { topics } = await cluster.ask(leader, offsetsCall(topic.name, wanted));
      for (const part of topics.flatMap(({ partitions: parts }) => parts)) {
        if (part.errorCode === brokerCodes.none) {
          found.set(part.partitionIndex, Number(part.offset));
        } else code = part.errorCode;
      }
    }
    missing = missing.filter((partition) => !found.has(partition));
    if (missing.length === 0) return found;
    if (!isPassing(code) || attempt === mostAttempts) {
      throw refusedBy(code, { role, where: `Topic ${topic.name}` });
    }
    await cluster.pause(attempt);
    current = await cluster.topic(topic.name);
  }
};
