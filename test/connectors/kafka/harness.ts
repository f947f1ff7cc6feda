/** A broker as the conformance suite sees it. */
import type { KafkaConfig } from '../../../connectors/kafka/manifest.js';
import type { System } from '../conformance/harness.js';
import { password, startBroker } from './broker.js';
import type { Broker, Received } from './broker.js';

const recordOf = (line: Readonly<Record<string, unknown>>): unknown =>
  Object.fromEntries(Object.entries(line).filter(([name]) => !name.startsWith('_')));

/** Topics cannot be emptied at once: what was there before is deleted up to the end. */
const documentsOf = async (broker: Broker): Promise<NonNullable<System['documents']>> => {
  const source = await broker.createTopic(3);
  const target = await broker.createTopic(2);
  const told = new Set<string>();
  return {
    source: {
      config: { topic: source },
      fill: async (records) => {
        await broker.empty(source, 3);
        await broker.send(
          source,
          records.map((record, index) => ({ value: JSON.stringify(record), partition: index % 3 })),
        );
      },
      record: recordOf,
    },
    destination: {
      config: { topic: target, key: 'id' },
      arrived: async () => {
        const count = await broker.count(target, 2);
        const all = await broker.received(target, count);
        const placeOf = ({ partition, offset }: Received): string => `${partition}/${offset}`;
        const fresh = all.filter((one) => !told.has(placeOf(one)));
        for (const one of fresh) told.add(placeOf(one));
        return fresh.map(({ id, value }) => ({
          key: id ?? '',
          record: JSON.parse(value?.toString() ?? 'null') as unknown,
        }));
      },
    },
  };
};

const problemsOf = (
  { ready, ...broker }: Broker,
  login: KafkaConfig,
): NonNullable<System['problems']> => {
  const tls: KafkaConfig = {
    brokers: [`localhost:${ready.tlsPort ?? 0}`],
    ssl: 'verify-full',
    caCertificate: broker.caCertificate,
  };
  return {
    tls_mismatch: { config: { ...broker.config, ssl: 'require' } },
    certificate_untrusted: { config: { ...tls, caCertificate: broker.otherCertificate } },
    certificate_mismatch: { config: { ...tls, brokers: [`127.0.0.1:${ready.tlsPort ?? 0}`] } },
    login_refused: { config: { ...login, password: `${password}x` } },
  };
};

export const startKafka = async (): Promise<System> => {
  const broker = await startBroker();
  const login: KafkaConfig = {
    brokers: [`127.0.0.1:${broker.ready.loginPort}`],
    sasl: { mechanism: 'scram-sha-512', username: broker.ready.user },
    password,
  };
  return {
    config: login,
    secrets: [password],
    at: (host, port) => ({ ...login, brokers: [`${host}:${port}`], connectTimeoutSeconds: 1 }),
    problems: problemsOf(broker, login),
    documents: await documentsOf(broker),
    stop: broker.stop,
  };
};
