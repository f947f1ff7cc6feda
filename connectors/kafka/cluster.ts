import { setTimeout as delay } from 'node:timers/promises';
import { RunFailure } from '../../core/failures.js';
import type { CallContext, OpenDeps } from '../connector.js';
import { metadataCall } from './calls.js';
import type { Call } from './calls.js';
import { makeConnection, NoAnswer } from './connection.js';
import type { BrokerConnection } from './connection.js';
import { brokerCodes, isPassing, problemAt, refusedBy } from './failures.js';
import { beginSession, needsLogin } from './login.js';
import type { KafkaConfig } from './manifest.js';
import { encrypted } from './tls.js';

export interface Topic {
  name: string;
  /** By number; the broker that leads each. */
  leaders: ReadonlyMap<number, number>;
  /** One bit for each operation that the user may do. */
  operations: number;
}

export interface Cluster {
  id: string | null;
  /** Topics that the user may see, those of Kafka itself left aside. */
  topics(): Promise<readonly string[]>;
  /** Fails where there is no such topic. */
  topic(name: string): Promise<Topic>;
  /** The one that leads a partition, as the cluster said it last. */
  leader(topic: Topic, partition: number): Promise<BrokerConnection>;
  /** Some broker, for questions that each can answer. */
  anyone(): Promise<BrokerConnection>;
  /** What it answers; where none comes, why not, in words for users. */
  ask<Answer>(connection: BrokerConnection, call: Call<Answer>): Promise<Answer>;
  /** Before the same is tried again. */
  pause(attempt: number): Promise<void>;
  /** Hangs up on everybody. */
  close(): void;
}

/** How long an answer may keep one waiting, once the broker has let us in. */
const answerMs = 40_000;
/** Beside the row that may be this large. */
const answerRoom = 16 * 1024 * 1024;
const topicAttempts = 8;
const longestPauseMs = 2_000;

interface Address {
  host: string;
  port: number;
}

const addressOf = (text: string): Address => {
  const at = text.lastIndexOf(':');
  return { host: text.slice(0, at), port: Number(text.slice(at + 1)) };
};

const whereOf = ({ host, port }: Address): string =>
  host.includes(':') && !host.startsWith('[') ? `[${host}]:${port}` : `${host}:${port}`;

export const openCluster = async (
  config: KafkaConfig,
  { net, role, maxRowBytes }: OpenDeps,
  { signal }: Pick<CallContext, 'signal'>,
): Promise<Cluster> => {
  const open = new Map<string, Promise<BrokerConnection>>();
  const limits = { mostBytes: maxRowBytes + answerRoom, answerMs };
  const brokers = new Map<number, Address>();
  const timeoutMs = (config.connectTimeoutSeconds ?? 10) * 1000;
  let closed: Error | undefined;

  /** Every address goes through the guarded dialer, those that brokers name included. */
  const connect = async (address: Address): Promise<BrokerConnection> => {
    const { host, port } = address;
    const where = whereOf(address);
    const timeout = new AbortController();
    const late = new NoAnswer('no answer came in time');
    const timer = setTimeout(() => timeout.abort(late), timeoutMs);
    const stop = AbortSignal.any([signal, timeout.signal]);
    let hangUp: (error: Error) => void = () => undefined;
    const onStop = (): void => hangUp(stop.reason as Error);
    stop.addEventListener('abort', onStop, { once: true });
    try {
      const socket = await net.connect(host, port, stop, role);
      hangUp = (error) => socket.destroy(error);
      if (stop.aborted) onStop();
      const connection = makeConnection(await encrypted(socket, host, config), where, limits);
      hangUp = (error) => connection.close(error);
      if (stop.aborted) onStop();
      await beginSession(connection, config, role);
      return connection;
    } catch (error) {
      hangUp(error as Error);
      signal.throwIfAborted();
      throw problemAt(timeout.signal.aborted ? late : error, { role, where, opening: true });
    } finally {
      clearTimeout(timer);
      stop.removeEventListener('abort', onStop);
    }
  };

  const at = async (address: Address): Promise<BrokerConnection> => {
    if (closed) throw closed;
    const where = whereOf(address);
    const known = await open.get(where)?.catch(() => undefined);
    if (known?.usable() === true) return known;
    const made = connect(address);
    open.set(where, made);
    return made;
  };

  const anyone = async (): Promise<BrokerConnection> => {
    let first: unknown;
    for (const address of [...config.brokers.map(addressOf), ...brokers.values()]) {
      try {
        return await at(address);
      } catch (error) {
        signal.throwIfAborted();
        // Another broker has the same passwords and speaks the same language.
        if (error instanceof RunFailure && error.failure.class !== 'transient') throw error;
        first ??= error;
      }
    }
    throw first;
  };

  let answered = false;
  const describe = async (topics: string[] | null) => {
    const connection = await anyone();
    const { where } = connection;
    try {
      const metadata = await connection.ask(metadataCall(topics));
      answered = true;
      brokers.clear();
      for (const { nodeId, host, port } of metadata.brokers) brokers.set(nodeId, { host, port });
      return { ...metadata, where };
    } catch (error) {
      signal.throwIfAborted();
      const cause = answered ? error : needsLogin(error, config, role, where);
      throw problemAt(cause, { role, where, opening: !answered });
    }
  };

  const pause = async (attempt: number): Promise<void> => {
    await delay(Math.min(longestPauseMs, 50 * 2 ** attempt), undefined, { signal }).catch(() =>
      signal.throwIfAborted(),
    );
  };

  const close = (reason?: Error): void => {
    closed ??= reason ?? new Error('closed');
    for (const one of open.values()) {
      one.then((connection) => connection.close(reason)).catch(() => undefined);
    }
  };
  const onAbort = (): void => close(signal.reason as Error);
  signal.addEventListener('abort', onAbort, { once: true });
  const end = (): void => {
    signal.removeEventListener('abort', onAbort);
    close();
  };

  const topic = async (name: string): Promise<Topic> => {
    for (let attempt = 0; ; attempt += 1) {
      const { topics, where } = await describe([name]);
      const [found] = topics;
      const code = found?.errorCode ?? brokerCodes.unknownTopic;
      if (found && code === brokerCodes.none) {
        return {
          name,
          leaders: new Map(found.partitions.map((part) => [part.partitionIndex, part.leaderId])),
          operations: found.topicAuthorizedOperations,
        };
      }
      const isMissing = code === brokerCodes.unknownTopic;
      if (isMissing || !isPassing(code) || attempt === topicAttempts) {
        throw refusedBy(code, { role, where: `${where}, topic ${name}` });
      }
      await pause(attempt);
    }
  };

  try {
    const { clusterId } = await describe([]);
    return {
      id: clusterId ?? null,
      topics: async () => {
        const { topics } = await describe(null);
        const seen = topics.filter(({ errorCode, isInternal }) => errorCode === 0 && !isInternal);
        return seen.flatMap(({ name }) => name ?? []);
      },
      topic,
      leader: async ({ name, leaders }, partition) => {
        const node = leaders.get(partition);
        const address = node === undefined ? undefined : brokers.get(node);
        if (address) return at(address);
        const where = `Topic ${name}, partition ${partition}`;
        throw refusedBy(brokerCodes.leaderNotAvailable, { role, where });
      },
      anyone,
      ask: async (connection, call) => {
        try {
          return await connection.ask(call);
        } catch (error) {
          signal.throwIfAborted();
          throw problemAt(error, { role, where: connection.where, opening: false });
        }
      },
      pause,
      close: end,
    };
  } catch (error) {
    end();
    throw error;
  }
};

/** A cluster for one piece of work. */
export const withCluster = async <T>(
  config: KafkaConfig,
  deps: OpenDeps,
  ctx: Pick<CallContext, 'signal'>,
  work: (cluster: Cluster) => Promise<T>,
): Promise<T> => {
  const cluster = await openCluster(config, deps, ctx);
  try {
    return await work(cluster);
  } catch (error) {
    ctx.signal.throwIfAborted();
    throw error;
  } finally {
    cluster.close();
  }
};
