import { RunFailure } from '../../core/failures.js';
import type { CallContext, OpenDeps } from '../connector.js';
import { isAbort, messagesOf } from './batches.js';
import type { Message } from './batches.js';
import type { Part } from './bounds.js';
import type { Cluster, Topic } from './cluster.js';
import { CorruptBatch } from './decompress.js';
import { brokerCodes, isPassing, refusedBy } from './failures.js';
import { fetchCall } from './fetch.js';
import type { Fetched } from './fetch.js';
import { earliest, offsetsAt } from './offsets.js';

export interface PartitionDeps {
  cluster: Cluster;
  role: OpenDeps['role'];
  maxRowBytes: number;
}

export interface Reading {
  topic: Topic;
  part: Part;
  /** About how much is asked for at once. */
  fetchBytes: number;
}

const mostAttempts = 8;
/** Where there is nothing for so long although there should be, there is nothing. */
const emptyMs = 30_000;
const leastEmpty = 3;
/** What comes out of one batch may be larger than a row by this. */
const unpackRoom = 64 * 1024 * 1024;

const changed = (where: string, detail: string): RunFailure =>
  new RunFailure({
    code: 'source_unreachable',
    class: 'transient',
    message: `${where}: ${detail} Run it again.`,
  });

const damaged = (where: string, error: CorruptBatch): RunFailure =>
  new RunFailure(
    {
      code: 'config_invalid',
      class: 'config',
      message: `${where}: there is a batch of messages that cannot be read (${error.message}): look at the segment with kafka-dump-log, or start behind it with from.`,
    },
    { cause: error },
  );

/** Messages between two offsets of an answer, without those of transactions that were given up. */
const committed = (
  { batches, aborted }: Fetched,
  { from, to }: Pick<Part, 'from' | 'to'>,
  most: number,
): Message[] => {
  const starting = [...aborted].sort((left, right) => left.from - right.from);
  const givenUp = new Set<bigint>();
  return batches.flatMap((batch) => {
    while (starting[0] !== undefined && starting[0].from < batch.next) {
      givenUp.add(starting[0].producerId);
      starting.shift();
    }
    if (batch.isControl) {
      if (isAbort(batch, most)) givenUp.delete(batch.producerId);
      return [];
    }
    const isLost = batch.isTransactional && givenUp.has(batch.producerId);
    if (isLost || batch.base >= to || batch.next <= from) return [];
    return messagesOf(batch, most).filter(({ offset }) => offset >= from && offset < to);
  });
};

/**
 * The messages of a part, as they come from the broker. It ends at the offset that was planned, not
 * where messages end: some may be gone, undone, or no messages of users.
 */
export async function* messagesIn(
  { cluster, role, maxRowBytes }: PartitionDeps,
  { topic: planned, part, fetchBytes }: Reading,
  { log }: CallContext,
): AsyncGenerator<readonly Message[]> {
  const { partition, to } = part;
  const where = `Topic ${planned.name}, partition ${partition}`;
  let topic = planned;
  let position = part.from;

  const fetchAt = (offset: number): Promise<Fetched> => {
    const answer = cluster
      .leader(topic, partition)
      .then((leader) =>
        cluster.ask(leader, fetchCall({ topic: topic.name, partition, offset, bytes: fetchBytes })),
      );
    // It may be under way while the answer before it is worked on.
    answer.catch(() => undefined);
    return answer;
  };

  /** Retention goes on while we read; what it took is gone, whoever asks. */
  const skipExpired = async (): Promise<void> => {
    const starts = await offsetsAt(cluster, topic, earliest, role);
    const start = starts.get(partition) ?? 0;
    if (start <= position) {
      throw changed(where, `there is no offset ${position} any more; was the topic made anew?`);
    }
    log.warn(
      `${where}: messages ${position} to ${Math.min(start, to) - 1} expired before they were read.`,
    );
    position = start;
  };

  let next = position < to ? fetchAt(position) : undefined;
  let attempt = 0;
  let empty = 0;
  let lastProgress = Date.now();
  while (next) {
    let fetched: Fetched;
    let code: number | undefined;
    try {
      fetched = await next;
      code = fetched.errorCode;
      if (code === brokerCodes.offsetOutOfRange) {
        await skipExpired();
        next = position < to ? fetchAt(position) : undefined;
        continue;
      }
      if (code !== brokerCodes.none) throw refusedBy(code, { role, where });
    } catch (error) {
      if (error instanceof CorruptBatch) throw damaged(where, error);
      const isPassed = code !== undefined && isPassing(code);
      const isOver = error instanceof RunFailure && error.failure.class !== 'transient';
      if ((isOver && !isPassed) || attempt === mostAttempts) throw error;
      await cluster.pause(attempt);
      attempt += 1;
      topic = await cluster.topic(topic.name);
      next = fetchAt(position);
      continue;
    }
    attempt = 0;
    const from = position;
    position = Math.max(position, fetched.batches.at(-1)?.next ?? position);
    if (position > from) {
      empty = 0;
      lastProgress = Date.now();
    } else if (!fetched.isThrottled) {
      empty += 1;
      if (empty >= leastEmpty && Date.now() - lastProgress > emptyMs) {
        if (fetched.stableTo >= to) return;
        throw changed(where, `it ends at ${fetched.stableTo}, before offset ${to}.`);
      }
    }
    next = position < to ? fetchAt(position) : undefined;
    try {
      const messages = committed(fetched, { from, to }, maxRowBytes + unpackRoom);
      if (messages.length > 0) yield messages;
    } catch (error) {
      throw error instanceof CorruptBatch ? damaged(where, error) : error;
    }
  }
}
