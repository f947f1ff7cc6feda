import type { DestinationTopicConfig } from '../../core/nodes/destinationTopic.js';
import { connectFailure } from '../../core/connecting.js';
import { RunFailure } from '../../core/failures.js';
import type { BadRow, OpenDeps } from '../connector.js';
import type { DocumentDestination } from '../documents.js';
import { withCluster } from './cluster.js';
import { sizeOf } from './encode.js';
import type { KafkaConfig } from './manifest.js';
import { outgoingOf } from './outgoing.js';
import type { Numbered } from './outgoing.js';
import { partitionOf } from './partitioner.js';
import { makeSender } from './produce.js';
import type { Sent } from './produce.js';
import { mayNot, operations } from './rights.js';

/** Brokers take batches of 1 MiB unless they are told otherwise. */
const batchBytes = 512 * 1024;
/** Of all partitions together. */
const heldBytes = 16 * 1024 * 1024;

const noSuchColumn = (key: string): RunFailure =>
  new RunFailure({
    code: 'config_invalid',
    class: 'config',
    message: `key names the column ${key}, and the rows have none of that name.`,
  });

/** Rows by partition, until there are enough of them for a batch. */
const makeRound = (partitions: readonly number[], start: number) => {
  let batches = new Map<number, Numbered[]>();
  let sizes = new Map<number, number>();
  let held = 0;
  let turn = start;
  const ofTurn = (): number => partitions[turn % partitions.length] ?? 0;
  return {
    /** Whether it is to be sent now. Rows without a key go to one partition a round. */
    add: (message: Numbered): boolean => {
      const { key } = message;
      const keyed = key === null ? undefined : partitions[partitionOf(key, partitions.length)];
      const partition = keyed ?? ofTurn();
      const size = (sizes.get(partition) ?? 0) + sizeOf(message);
      const batch = batches.get(partition);
      if (batch) batch.push(message);
      else batches.set(partition, [message]);
      sizes.set(partition, size);
      held += sizeOf(message);
      return size >= batchBytes || held >= heldBytes;
    },
    take: (): ReadonlyMap<number, readonly Numbered[]> => {
      const taken = batches;
      batches = new Map();
      sizes = new Map();
      held = 0;
      turn += 1;
      return taken;
    },
  };
};

export const makeTopicDestination = (
  config: KafkaConfig,
  deps: OpenDeps,
): DocumentDestination<DestinationTopicConfig> => ({
  prepare: async ({ topic: name, key }, columns, _delivery, ctx) => {
    if (key !== undefined && !columns.some((column) => column.name === key)) {
      throw noSuchColumn(key);
    }
    const topic = await withCluster(config, deps, ctx, (cluster) => cluster.topic(name));
    if (!mayNot(topic, operations.write)) return;
    throw connectFailure('permission_denied', {
      role: deps.role,
      where: `Topic ${name}`,
      detail: 'It needs the operation Write on the topic.',
    });
  },

  write: ({ topic: name, key, maxErrors = 0 }, marker, lines, progress, ctx) =>
    withCluster(config, deps, ctx, async (cluster) => {
      const topic = await cluster.topic(name);
      const partitions = [...topic.leaders.keys()].sort((left, right) => left - right);
      const { role } = deps;
      const sender = await makeSender({ cluster, topic, role, keyed: key !== undefined });
      const round = makeRound(partitions, marker.split);
      const counts = { rows: 0, bytes: 0 };
      const rejected: BadRow[] = [];
      let underWay: Promise<Sent> | undefined;

      const settle = async (): Promise<void> => {
        const sent = await underWay;
        underWay = undefined;
        if (!sent) return;
        counts.rows += sent.rows;
        counts.bytes += sent.bytes;
        rejected.push(...sent.rejected);
        progress({ ...counts });
      };
      /** While one round is on its way the next one is made. */
      const send = async (): Promise<void> => {
        await settle();
        underWay = sender.send(round.take());
        underWay.catch(() => undefined);
      };

      for await (const messages of outgoingOf(lines, marker, key)) {
        ctx.signal.throwIfAborted();
        for (const message of messages) {
          if (round.add(message)) await send();
        }
        if (rejected.length > maxErrors) break;
      }
      await send();
      await settle();
      const inOrder = [...rejected].sort((left, right) => left.row - right.row);
      return { counts, coalesced: 0, already: false, rejected: inOrder };
    }),
});
