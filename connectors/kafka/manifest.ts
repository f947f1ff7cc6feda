import { Type } from '@sinclair/typebox';
import type { Static } from '@sinclair/typebox';
import type { Manifest } from '../manifest.js';

const config = Type.Object(
  {
    brokers: Type.Array(
      Type.String({
        pattern: '^(\\[[0-9A-Fa-f:.]{2,45}\\]|[A-Za-z0-9._-]{1,253}):[0-9]{1,5}$',
        maxLength: 260,
        errorMessage: 'Expected a host with its port, such as kafka.example.com:9092.',
      }),
      {
        minItems: 1,
        maxItems: 32,
        description: 'Some of the cluster, as host:port; they say where the others are',
      },
    ),
    sasl: Type.Optional(
      Type.Object(
        {
          mechanism: Type.Union([
            Type.Literal('plain'),
            Type.Literal('scram-sha-256'),
            Type.Literal('scram-sha-512'),
          ]),
          username: Type.String({ minLength: 1, maxLength: 1024 }),
        },
        {
          additionalProperties: false,
          description: 'How to log in; the password is `password` beside it. Default: not at all',
        },
      ),
    ),
    password: Type.Optional(Type.String({ maxLength: 1024, description: 'For `sasl`' })),
    ssl: Type.Optional(
      Type.Union([Type.Literal('disable'), Type.Literal('require'), Type.Literal('verify-full')], {
        default: 'disable',
        description:
          'What the listener speaks: a broker cannot be asked, so there is no `prefer`. ' +
          '`require` encrypts without asking who answers',
      }),
    ),
    caCertificate: Type.Optional(
      Type.String({ maxLength: 65536, description: 'PEM, for `verify-full`' }),
    ),
    connectTimeoutSeconds: Type.Optional(Type.Integer({ minimum: 1, maximum: 60, default: 10 })),
  },
  { additionalProperties: false },
);

export type KafkaConfig = Static<typeof config>;

export const kafkaManifest: Manifest = {
  id: 'kafka',
  title: 'Apache Kafka',
  roles: ['source', 'destination'],
  config,
  secretKeys: ['password'],
  capabilities: ['source.topic', 'destination.topic', 'check', 'tables', 'preview'],
  remarks: [
    'Kafka 2.7 and newer; tested with 4.1. Topics are read with committed transactions only, between offsets that are settled while the run is planned.',
    'Records have the columns `_partition`, `_offset`, `_timestamp` and `_key` in front of their own members; a member of such a name gets one more underscore.',
    'Messages are sent to all replicas by an idempotent producer, and again where a split is repeated: at least once. The header `fluxline-id` is the same each time, by which a consumer can leave out what it knows.',
    'Topics compressed with zstd need workers on Node 22.15 or newer.',
  ],
  example: {
    brokers: ['kafka-1.example.com:9093', 'kafka-2.example.com:9093'],
    sasl: { mechanism: 'scram-sha-512', username: 'loader' },
    password: '…',
    ssl: 'verify-full',
  },
};
