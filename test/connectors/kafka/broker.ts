/** A broker of one's own, and what a test does with it past the connector. */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Admin, Consumer, Producer } from '@platformatic/kafka';
import type { KafkaConfig } from '../../../connectors/kafka/manifest.js';
import { makeAuthority } from '../../support/certificates.js';
import { startServer } from '../../support/serverProcess.js';

export interface Sending {
  key?: Buffer | string | null;
  value: Buffer | string | null;
  partition?: number;
  timestamp?: number;
}

export interface Received {
  partition: number;
  offset: number;
  key: Buffer | null;
  value: Buffer | null;
  id: string | undefined;
}

const bytesOf = (part: Buffer | string | null | undefined): Buffer | null =>
  typeof part === 'string' ? Buffer.from(part) : (part ?? null);

type Wire = Parameters<Producer['send']>[0]['messages'][number];

export const password = 'planted-pässword-4711';

/** The certificate is for localhost, not for 127.0.0.1. */
export const startBroker = async () => {
  const directory = mkdtempSync(join(tmpdir(), 'kafka-'));
  const authority = makeAuthority('Authority of a test');
  const { certificate, key } = authority.issue(['localhost']);
  const pem = join(directory, 'broker.pem');
  writeFileSync(pem, `${key}${certificate}`);
  const server = await startServer('kafka', {
    directory,
    pem,
    password,
    users: { lonely: password },
    settings: { 'message.max.bytes': '2000000', 'log.cleaner.backoff.ms': '200' },
  });
  const { ready } = server;
  const address = `127.0.0.1:${ready.port}`;
  const own = { clientId: 'test', bootstrapBrokers: [address], retries: 5 };
  const admin = new Admin(own);
  const producer = new Producer({ ...own, idempotent: true });

  const wire = (topic: string, { key: text, value, partition, timestamp }: Sending): Wire =>
    ({
      topic,
      key: bytesOf(text),
      value: bytesOf(value),
      partition: partition ?? 0,
      ...(timestamp === undefined ? {} : { timestamp: BigInt(timestamp) }),
    }) as Wire;

  const endsOf = async (topic: string, partitions: number): Promise<number[]> => {
    const wanted = Array.from({ length: partitions }, (_, index) => ({
      partitionIndex: index,
      timestamp: -1n,
    }));
    const [found] = await admin.listOffsets({ topics: [{ name: topic, partitions: wanted }] });
    return wanted.map(({ partitionIndex }) => {
      const end = found?.partitions.find((each) => each.partitionIndex === partitionIndex);
      return Number(end?.offset ?? 0n);
    });
  };

  return {
    ready,
    address,
    admin,
    caCertificate: authority.certificate,
    otherCertificate: makeAuthority('Another authority').certificate,
    config: { brokers: [address] } satisfies KafkaConfig,
    /** A topic that no other test uses. */
    createTopic: async (partitions = 1, configs: Record<string, string> = {}): Promise<string> => {
      const topic = `topic-${randomBytes(5).toString('hex')}`;
      const list = Object.entries(configs).map(([name, value]) => ({ name, value }));
      await admin.createTopics({ topics: [topic], partitions, replicas: 1, configs: list });
      return topic;
    },
    send: async (topic: string, messages: readonly Sending[]): Promise<void> => {
      for (let at = 0; at < messages.length; at += 500) {
        const some = messages.slice(at, at + 500).map((message) => wire(topic, message));
        await producer.send({ messages: some });
      }
    },
    /** In one transaction, which is given up or not. */
    transact: async (
      topic: string,
      messages: readonly Sending[],
      end: 'commit' | 'abort',
    ): Promise<void> => {
      const own2 = { ...own, transactionalId: randomBytes(5).toString('hex') };
      const writer = new Producer({ ...own2, idempotent: true });
      const transaction = await writer.beginTransaction({});
      await transaction.send({ messages: messages.map((message) => wire(topic, message)) });
      await transaction[end]();
      await writer.close();
    },
    /** Lines of text as messages, by Kafka's own producer. */
    sendFromJava: async (topic: string, codec: string, lines: readonly string[]): Promise<void> => {
      const args = ['-XX:TieredStopAtLevel=1', '-cp', ready.classPath];
      const tool = 'org.apache.kafka.tools.ConsoleProducer';
      const options = ['--bootstrap-server', address, '--topic', topic];
      const java = execFile('java', [...args, tool, ...options, '--compression-codec', codec]);
      const ended = once(java, 'close');
      java.stdin?.end(lines.map((line) => `${line}\n`).join(''));
      expect((await ended)[0]).toBe(0);
    },
    /** How many messages there are, gone ones included. */
    count: async (topic: string, partitions: number): Promise<number> =>
      (await endsOf(topic, partitions)).reduce((sum, end) => sum + end, 0),
    empty: async (topic: string, partitions: number): Promise<void> => {
      const ends = await endsOf(topic, partitions);
      const list = ends.map((end, partition) => ({ partition, offset: BigInt(end) }));
      await admin.deleteRecords({ topics: [{ name: topic, partitions: list }] });
    },
    /** Everything in a topic, as somebody else reads it. */
    received: async (topic: string, count: number): Promise<Received[]> => {
      const consumer = new Consumer({ ...own, groupId: randomBytes(5).toString('hex') });
      const stream = await consumer.consume({ topics: [topic], mode: 'earliest' });
      const found: Received[] = [];
      if (count > 0) {
        for await (const { partition, offset, key: name, value, headers } of stream) {
          const id = [...headers].find(([header]) => header.toString() === 'fluxline-id')?.[1];
          found.push({
            partition,
            offset: Number(offset),
            key: name,
            value,
            id: id?.toString(),
          });
          if (found.length === count) break;
        }
      }
      await new Promise<void>((resolve) => consumer.close(true, () => resolve()));
      return found;
    },
    stop: async () => {
      await producer.close();
      await admin.close();
      await server.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
};

export type Broker = Awaited<ReturnType<typeof startBroker>>;
