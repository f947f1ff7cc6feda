import { RunFailure } from '../../core/failures.js';
import type { BadRow, OpenDeps } from '../connector.js';
import { produceCall, producerCall } from './calls.js';
import type { Cluster, Topic } from './cluster.js';
import { encodeBatch } from './encode.js';
import type { Producer } from './encode.js';
import { brokerCodes, isPassing, refusedBy } from './failures.js';
import type { Numbered } from './outgoing.js';

export interface Sender {
  /** What each partition gets; one batch of each is on its way at a time. */
  send(batches: ReadonlyMap<number, readonly Numbered[]>): Promise<Sent>;
}

export interface Sent {
  rows: number;
  bytes: number;
  rejected: readonly BadRow[];
}

export interface SenderDeps {
  cluster: Cluster;
  topic: Topic;
  role: OpenDeps['role'];
  /** Whether rows have keys. */
  keyed: boolean;
}

/** How long the replicas of a broker may take. */
const replicasMs = 30_000;
const mostAttempts = 10;
/** Brokers hang up on requests of 100 MiB; below it they say what they think of them. */
const mostBytes = 96 * 1024 * 1024;
/** Sequence numbers begin anew behind the largest. */
const sequences = 2 ** 31;

const beginProducer = async ({ cluster, role }: SenderDeps): Promise<Producer> => {
  for (let attempt = 0; ; attempt += 1) {
    const broker = await cluster.anyone();
    const { errorCode, producerId, producerEpoch } = await cluster.ask(broker, producerCall());
    if (errorCode === brokerCodes.none) return { id: producerId, epoch: producerEpoch };
    const isBusy = isPassing(errorCode) || busy.has(errorCode);
    if (!isBusy || attempt === mostAttempts) {
      throw refusedBy(errorCode, { role, where: `${broker.where}, beginning to send` });
    }
    await cluster.pause(attempt);
  }
};

/** Coordinators that are loading, are not there yet or have moved. */
const busy: ReadonlySet<number> = new Set([14, 15, brokerCodes.notCoordinator]);

const tooLarge: ReadonlySet<number> = new Set([
  brokerCodes.messageTooLarge,
  brokerCodes.recordListTooLarge,
]);

const withoutKeys = (topic: string): RunFailure =>
  new RunFailure({
    code: 'config_invalid',
    class: 'config',
    message: `The broker refuses messages without a key for topic ${topic}, as it does where a topic is compacted: set key.`,
  });

const rejectedAs = (code: number, row: number): BadRow =>
  tooLarge.has(code)
    ? {
        row,
        code: 'row_too_large',
        message:
          'The message is larger than the topic allows: raise its max.message.bytes, or send less.',
      }
    : {
        row,
        code: 'constraint_violation',
        message: 'The broker refused the message, as it does without a key in a compacted topic.',
      };

/**
 * Sends to all replicas, and again where it is not known whether it arrived: the broker knows the
 * numbers of what it has and takes nothing twice, for as long as this sender lives.
 */
export const makeSender = async (deps: SenderDeps): Promise<Sender> => {
  const { cluster, role, keyed } = deps;
  const producer = await beginProducer(deps);
  const sequenceOf = new Map<number, number>();
  let topic = deps.topic;

  /** The answer of the partition's leader, whoever that is by then. */
  const deliver = async (partition: number, records: Buffer): Promise<number> => {
    for (let attempt = 0; ; attempt += 1) {
      let failure: unknown;
      try {
        const leader = await cluster.leader(topic, partition);
        const parts = [{ partition, records }];
        const answer = await cluster.ask(leader, produceCall(topic.name, parts, replicasMs));
        const code = answer.responses[0]?.partitionResponses[0]?.errorCode ?? brokerCodes.none;
        if (code === brokerCodes.duplicateSequence) return brokerCodes.none;
        if (!isPassing(code)) return code;
        failure = refusedBy(code, { role, where: `Topic ${topic.name}, partition ${partition}` });
      } catch (error) {
        if (!(error instanceof RunFailure) || error.failure.class !== 'transient') throw error;
        failure = error;
      }
      if (attempt === mostAttempts) throw failure;
      await cluster.pause(attempt);
      topic = await cluster.topic(topic.name);
    }
  };

  /** Messages that are refused together are tried in halves, until it is known which they are. */
  const sendBatch = async (partition: number, batch: readonly Numbered[]): Promise<Sent> => {
    const [first] = batch;
    if (!first) return { rows: 0, bytes: 0, rejected: [] };
    const sequence = sequenceOf.get(partition) ?? 0;
    const records = encodeBatch(batch, producer, sequence, Date.now());
    const code =
      records.length > mostBytes ? brokerCodes.messageTooLarge : await deliver(partition, records);
    if (code === brokerCodes.none) {
      sequenceOf.set(partition, (sequence + batch.length) % sequences);
      return { rows: batch.length, bytes: records.length, rejected: [] };
    }
    if (code === brokerCodes.invalidRecord && !keyed) throw withoutKeys(topic.name);
    if (!tooLarge.has(code) && code !== brokerCodes.invalidRecord) {
      throw refusedBy(code, { role, where: `Topic ${topic.name}, partition ${partition}` });
    }
    if (batch.length === 1) return { rows: 0, bytes: 0, rejected: [rejectedAs(code, first.row)] };
    const half = Math.ceil(batch.length / 2);
    const left = await sendBatch(partition, batch.slice(0, half));
    const right = await sendBatch(partition, batch.slice(half));
    return {
      rows: left.rows + right.rows,
      bytes: left.bytes + right.bytes,
      rejected: [...left.rejected, ...right.rejected],
    };
  };

  return {
    send: async (batches) => {
      const sent = await Promise.all(
        [...batches].map(([partition, batch]) => sendBatch(partition, batch)),
      );
      return {
        rows: sent.reduce((sum, { rows }) => sum + rows, 0),
        bytes: sent.reduce((sum, { bytes }) => sum + bytes, 0),
        rejected: sent.flatMap(({ rejected }) => rejected),
      };
    },
  };
};
