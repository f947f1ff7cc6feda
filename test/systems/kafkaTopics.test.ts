/** Topics of a real broker: what is read, where it ends, what arrives. */
import { connect, createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import type { KafkaConfig } from '../../connectors/kafka/manifest.js';
import { makeAddressPolicy, parseCidrs } from '../../net/addressPolicy.js';
import { makeDialer } from '../../net/dial.js';
import { openConnector } from '../../connectors/registry.js';
import type { SplitRange } from '../../connectors/connector.js';
import type { DocumentDestination, DocumentSource } from '../../connectors/documents.js';
import { password, startBroker } from '../connectors/kafka/broker.js';
import type { Broker } from '../connectors/kafka/broker.js';
import { waitFor } from '../support/wait.js';
import { newDelivery, splitOf } from '../connectors/postgres/destinationTesting.js';
import { context, failureOf } from '../connectors/postgres/sourceTesting.js';
import { cuttableNet, openDeps } from '../connectors/stores/anywhere.js';

let broker: Broker;

beforeAll(async () => {
  broker = await startBroker();
}, 900_000);
afterAll(async () => {
  await broker.stop();
});

const source = async (): Promise<DocumentSource> => {
  const { documents } = await openConnector('kafka', broker.config, openDeps());
  if (!documents?.source) throw new Error('kafka has no source');
  return documents.source;
};

const destination = async (): Promise<DocumentDestination> => {
  const { documents } = await openConnector('kafka', broker.config, openDeps());
  if (!documents?.destination) throw new Error('kafka has no destination');
  return documents.destination;
};

const textOf = async (chunks: AsyncIterable<Buffer>): Promise<string> => {
  const parts: Buffer[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  return Buffer.concat(parts).toString();
};

interface Fixed {
  _partition: number;
  _offset: number;
  _timestamp: string | null;
  _key: string | null;
}
type Read = Fixed & Record<string, unknown>;

const readRanges = async (config: object, ranges: readonly SplitRange[]): Promise<string[]> => {
  const from = await source();
  const texts: string[] = [];
  for (const range of ranges) texts.push(await textOf(from.read({ config }, range, context())));
  return texts;
};

const linesOf = (texts: readonly string[]): string[] =>
  texts.flatMap((text) => text.split('\n').slice(0, -1));

const planned = async (config: object, targetBytes = 1e9): Promise<readonly SplitRange[]> =>
  (await (await source()).splits({ config }, { targetBytes }, context())).ranges;

const readAll = async (config: object): Promise<Read[]> =>
  linesOf(await readRanges(config, await planned(config))).map((line) => JSON.parse(line) as Read);

const numbered = (count: number, partitions = 1) =>
  Array.from({ length: count }, (_, n) => ({
    key: `k${n}`,
    value: JSON.stringify({ n }),
    partition: n % partitions,
  }));

test('messages come with where they stand, and as they were written', async () => {
  const topic = await broker.createTopic();
  const value = '{ "big": 12345678901234567890.10,\n "text": "a\\nb" , "_key": 1}';
  await broker.send(topic, [
    { key: 'ü', value, timestamp: 1_700_000_000_123 },
    { key: Buffer.from([0, 0, 0, 5]), value: '{}' },
    { value: null },
  ]);
  const lines = linesOf(await readRanges({ topic }, await planned({ topic })));
  expect(lines[0]).toBe(
    '{"_partition":0,"_offset":0,"_timestamp":"2023-11-14T22:13:20.123Z","_key":"ü",' +
      '"big": 12345678901234567890.10,  "text": "a\\nb" , "__key":1}',
  );
  const [, second, third] = lines.map((line) => JSON.parse(line) as Read);
  expect(second).toMatchObject({ _offset: 1, _key: '\\x00000005' });
  expect(Object.keys(third ?? {})).toEqual(['_partition', '_offset', '_timestamp', '_key']);
});

test('long partitions are cut, and each range is read alone and again', async () => {
  const topic = await broker.createTopic(3);
  await broker.send(topic, numbered(3000, 2));
  const ranges = await planned({ topic }, 20_000);
  expect(ranges.length).toBeGreaterThan(4);
  const kept = JSON.parse(JSON.stringify(ranges)) as readonly SplitRange[];
  const first = await readRanges({ topic }, kept);
  // What comes later is for the next time.
  await broker.send(topic, numbered(50, 3));
  expect(await readRanges({ topic }, kept)).toEqual(first);
  const found = linesOf(first).map((line) => (JSON.parse(line) as { n: number }).n);
  expect(found.sort((a, b) => a - b)).toEqual(Array.from({ length: 3000 }, (_, n) => n));
});

test('from and to: offsets and moments', async () => {
  const topic = await broker.createTopic();
  const base = Date.parse('2026-11-21T00:00:00Z');
  const messages = numbered(10).map((each, n) => ({ ...each, timestamp: base + n * 1000 }));
  await broker.send(topic, messages);
  const offsets = async (config: object) =>
    (await readAll({ topic, ...config })).map(({ _offset }) => _offset);
  expect(await offsets({ from: 3, to: 5 })).toEqual([3, 4]);
  expect(await offsets({ from: 8, to: 900 })).toEqual([8, 9]);
  expect(await offsets({ from: 20 })).toEqual([]);
  expect(await offsets({ from: '2026-11-21T00:00:07Z' })).toEqual([7, 8, 9]);
  expect(await offsets({ from: '2026-11-21T00:00:06.9991Z' })).toEqual([7, 8, 9]);
  expect(await offsets({ to: '2026-11-21T01:00:01.001+01:00' })).toEqual([0, 1]);
  expect(await offsets({ from: '2027-01-01T00:00:00Z' })).toEqual([]);
  expect(await offsets({ to: '2027-01-01T00:00:00Z' })).toHaveLength(10);
});

test('an empty topic has nothing to read', async () => {
  const topic = await broker.createTopic(2);
  expect(await planned({ topic })).toEqual([]);
  expect(await textOf((await source()).sample({ config: { topic } }, 10, context()))).toBe('');
});

test('transactions that were given up are left out, and the end is found behind them', async () => {
  const topic = await broker.createTopic();
  const valued = (word: string) => [1, 2, 3].map((n) => ({ value: JSON.stringify({ word, n }) }));
  await broker.send(topic, valued('plain'));
  await broker.transact(topic, valued('lost'), 'abort');
  await broker.transact(topic, valued('kept'), 'commit');
  await broker.transact(topic, valued('lost'), 'abort');
  const words = async () => (await readAll({ topic })).map(({ word }) => word);
  const all = ['plain', 'plain', 'plain', 'kept', 'kept', 'kept'];
  // What becomes of a transaction is written down a moment after its end.
  await waitFor(async () => (await words()).length === all.length, {
    timeoutMs: 20_000,
    what: 'the transactions to end',
  });
  expect(await words()).toEqual(all);
  // Their ends stand in the log, too: the last of them is the end of what is read.
  await broker.transact(topic, valued('open'), 'abort');
  expect(await words()).toEqual(all);
});

test('what compaction or retention took is not waited for', async () => {
  const topic = await broker.createTopic();
  await broker.send(topic, numbered(100));
  const ranges = await planned({ topic });
  await broker.admin.deleteRecords({
    topics: [{ name: topic, partitions: [{ partition: 0, offset: 40n }] }],
  });
  const left = linesOf(await readRanges({ topic }, ranges));
  expect(left.map((line) => (JSON.parse(line) as Read)._offset)[0]).toBe(40);
  expect(left).toHaveLength(60);
});

test('what is no object is a line that says so, with its place', async () => {
  const topic = await broker.createTopic();
  const bad = ['[1]', 'plain "text"\nof two lines', '', '{"a":\n"b\nc"}', '12'];
  await broker.send(topic, [...bad.map((value) => ({ value })), { value: '{"n":1}' }]);
  const lines = linesOf(await readRanges({ topic }, await planned({ topic })));
  expect(lines).toHaveLength(6);
  for (const [offset, value] of bad.entries()) {
    const said = JSON.parse(lines[offset] ?? '') as string;
    expect(said).toBe(`partition 0, offset ${offset}: no object of JSON: ${value}`);
  }
});

test('rows arrive with their keys where other clients expect them', async () => {
  const topic = await broker.createTopic(5);
  const to = await destination();
  const delivery = newDelivery();
  const columns = [{ name: 'id', type: { kind: 'integer' as const }, nullable: false }];
  await to.prepare({ topic, key: 'id' }, columns, delivery, context());
  const rows = Array.from({ length: 2000 }, (_, id) => `{"id":${id},"x":"${'y'.repeat(2000)}"}\n`);
  async function* lines() {
    for (const row of rows) yield Buffer.from(row);
  }
  const progress: number[] = [];
  const result = await to.write(
    { topic, key: 'id' },
    splitOf(delivery, 0),
    lines(),
    ({ rows: done }) => progress.push(done),
    context(),
  );
  expect(result).toMatchObject({ counts: { rows: 2000 }, coalesced: 0, rejected: [] });
  expect(progress.length).toBeGreaterThan(1);
  const found = await broker.received(topic, 2000);
  expect(found.map(({ value }) => `${value?.toString()}\n`).sort()).toEqual([...rows].sort());
  for (const { key, value } of found) {
    expect(key?.toString()).toBe(
      String((JSON.parse(value?.toString() ?? '') as { id: number }).id),
    );
  }
  // As DefaultPartitioner of Java puts them: one key, one partition.
  expect(new Set(found.map(({ partition }) => partition)).size).toBe(5);
  expect(new Set(found.map(({ id }) => id)).size).toBe(2000);
});

test('a message that is too large is rejected, and the others arrive', async () => {
  const topic = await broker.createTopic(1, { 'max.message.bytes': '10000' });
  const to = await destination();
  const delivery = newDelivery();
  const rows = Array.from({ length: 30 }, (_, id) =>
    JSON.stringify({ id, x: 'y'.repeat(id % 10 === 3 ? 20_000 : 50) }),
  );
  async function* lines() {
    yield Buffer.from(rows.map((row) => `${row}\n`).join(''));
  }
  const result = await to.write(
    { topic, maxErrors: 10 },
    splitOf(delivery, 0),
    lines(),
    () => undefined,
    context(),
  );
  expect(result.counts.rows).toBe(27);
  expect(result.rejected.map(({ row, code }) => [row, code])).toEqual([
    [3, 'row_too_large'],
    [13, 'row_too_large'],
    [23, 'row_too_large'],
  ]);
  expect(await broker.received(topic, 27)).toHaveLength(27);
});

test('what is cut off is sent again, and arrives once', async () => {
  const topic = await broker.createTopic(3);
  const { net, sockets } = cuttableNet();
  const { documents } = await openConnector('kafka', broker.config, openDeps(net));
  const count = 12_000;
  let cut = 0;
  async function* lines() {
    for (let id = 0; id < count; id += 1) {
      yield Buffer.from(`{"id":${id},"x":"${'y'.repeat(400)}"}\n`);
      // In the middle of what is being sent and answered.
      if (id % 3000 === 2999) {
        for (const socket of sockets.splice(0)) socket.destroy();
        cut += 1;
      }
    }
  }
  const marker = splitOf(newDelivery(), 0);
  const config = { topic, key: 'id' };
  const result = await documents?.destination?.write(
    config,
    marker,
    lines(),
    () => undefined,
    context(),
  );
  expect(cut).toBe(4);
  expect(result?.counts.rows).toBe(count);
  expect(await broker.count(topic, 3)).toBe(count);

  const read = documents?.source;
  const ranges = await planned({ topic });
  const ids = new Set<number>();
  for (const range of ranges) {
    for await (const chunk of read?.read({ config: { topic } }, range, context()) ?? []) {
      for (const socket of sockets.splice(0)) socket.destroy();
      for (const line of linesOf([chunk.toString()]))
        ids.add((JSON.parse(line) as Read)['id'] as number);
    }
  }
  expect(ids.size).toBe(count);
});

test('a compacted topic wants keys', async () => {
  const topic = await broker.createTopic(1, { 'cleanup.policy': 'compact' });
  const to = await destination();
  async function* lines() {
    yield Buffer.from('{"id":1}\n');
  }
  const marker = splitOf(newDelivery(), 0);
  const sent = to.write({ topic }, marker, lines(), () => undefined, context());
  expect(await failureOf(sent)).toMatchObject({ code: 'config_invalid' });
});

test('there is no such topic', async () => {
  expect(await failureOf(planned({ topic: 'nobody' }))).toMatchObject({
    reason: 'database_missing',
  });
  const to = await destination();
  const prepared = to.prepare({ topic: 'nobody' }, [], newDelivery(), context());
  expect(await failureOf(prepared)).toMatchObject({ reason: 'database_missing' });
  expect(await broker.admin.listTopics()).not.toContain('nobody');
});

test('rights that the user does not have', async () => {
  const topic = await broker.createTopic();
  const config = {
    brokers: [`127.0.0.1:${broker.ready.loginPort}`],
    sasl: { mechanism: 'plain', username: 'lonely' },
    password,
  };
  const connector = await openConnector('kafka', config, openDeps());
  const { documents } = connector;
  const sent = documents?.destination?.prepare({ topic }, [], newDelivery(), context());
  expect(await failureOf(sent ?? Promise.resolve())).toMatchObject({ reason: 'permission_denied' });
  const read = documents?.source?.splits({ config: { topic } }, { targetBytes: 1 }, context());
  expect(await failureOf(read ?? Promise.resolve())).toMatchObject({ reason: 'permission_denied' });
  expect((await connector.check?.(context()))?.notes.join()).toContain('No topic can be seen');
});

test.each(['plain', 'scram-sha-256'])('logs in by %s', async (mechanism) => {
  const config = {
    brokers: [`127.0.0.1:${broker.ready.loginPort}`],
    sasl: { mechanism, username: broker.ready.user },
    password,
  };
  const connector = await openConnector('kafka', config, openDeps());
  expect((await connector.check?.(context()))?.serverVersion).toContain('Kafka');
});

test('the wrong kind of listener is told', async () => {
  const failing = async (config: object) => {
    const connector = await openConnector('kafka', config as KafkaConfig, openDeps());
    return failureOf(connector.check?.(context()) ?? Promise.resolve());
  };
  const { port, loginPort, tlsPort, user } = broker.ready;
  const sasl = { mechanism: 'plain', username: user };
  const plainOnTls = await failing({ brokers: [`127.0.0.1:${tlsPort ?? 0}`] });
  expect(plainOnTls).toMatchObject({ reason: 'tls_mismatch' });
  const anonymous = await failing({ brokers: [`127.0.0.1:${loginPort}`] });
  expect(anonymous).toMatchObject({ reason: 'login_refused' });
  expect(anonymous.message).toContain('set sasl');
  const needless = await failing({ brokers: [`127.0.0.1:${port}`], sasl, password });
  expect(needless).toMatchObject({ reason: 'login_refused' });
  expect(needless.message).toContain('asks for no login');
});

test('brokers that the cluster names are reached through the guarded dialer, too', async () => {
  // The bootstrap address is allowed, and what the broker says it is to be reached by is not.
  const net = makeDialer(makeAddressPolicy(parseCidrs('127.0.0.2/32')));
  const relay = createServer((socket) => {
    const onward = connect(broker.ready.port, '127.0.0.1');
    socket.on('error', () => undefined).pipe(onward);
    onward.on('error', () => undefined).pipe(socket);
  });
  await new Promise<void>((resolve) => relay.listen(0, '127.0.0.2', resolve));
  const { port } = relay.address() as AddressInfo;
  const topic = await broker.createTopic();
  const config = { brokers: [`127.0.0.2:${port}`] };
  const connector = await openConnector('kafka', config, openDeps(net));
  const { documents } = connector;
  expect((await connector.check?.(context()))?.serverVersion).toContain('Kafka');
  const read = documents?.source?.splits({ config: { topic } }, { targetBytes: 1 }, context());
  expect(await failureOf(read ?? Promise.resolve())).toMatchObject({ code: 'egress_denied' });
  await new Promise((resolve) => relay.close(resolve));
});

test('topics stand for tables', async () => {
  const names = [await broker.createTopic(), await broker.createTopic()].sort();
  const { browser } = await openConnector('kafka', broker.config, openDeps());
  const tables = async (limit: number, after?: string) =>
    browser?.tables?.(
      undefined,
      { limit, search: 'TOPIC-', ...(after === undefined ? {} : { after }) },
      context(),
    );
  const all = (await tables(1000))?.items ?? [];
  expect(all).toEqual(
    expect.arrayContaining(names.map((name) => ({ name, type: 'TABLE', comment: null }))),
  );
  const first = await tables(1);
  expect(first?.items).toEqual(all.slice(0, 1));
  expect((await tables(1, first?.next ?? ''))?.items).toEqual(all.slice(1, 2));
  expect(await browser?.tables?.('public', { limit: 5 }, context())).toBeUndefined();
});

test.each(['none', 'gzip', 'snappy', 'lz4'])('reads what Java packed with %s', async (codec) => {
  const topic = await broker.createTopic();
  await broker.sendFromJava(
    topic,
    codec,
    numbered(5000).map(({ value }) => value),
  );
  const found = await readAll({ topic });
  expect(found.map(({ n }) => n)).toEqual(Array.from({ length: 5000 }, (_, n) => n));
});
