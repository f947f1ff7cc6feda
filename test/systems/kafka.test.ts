import { conformance } from '../connectors/conformance/conformance.js';
import { startKafka } from '../connectors/kafka/harness.js';

conformance({
  connector: 'kafka',
  system: 'Kafka 4.1',
  network: true,
  // Topics are no tables of SQL: what is listed of them is looked at in kafkaTopics.test.ts.
  parts: ['connection', 'documents'],
  start: startKafka,
  skips: {
    'a bad connection: database_missing': 'a connection names no topic; nodes do',
    'a bad connection: permission_denied': 'rights are those on a topic, not of a connection',
    'a bad connection: too_many_connections':
      'a broker that has too many connections hangs up without saying why',
  },
});
