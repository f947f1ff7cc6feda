import { Type } from '@sinclair/typebox';
import type { Static } from '@sinclair/typebox';
import type { Manifest } from '../manifest.js';

const config = Type.Object(
  {
    host: Type.String({ minLength: 1, maxLength: 253 }),
    port: Type.Optional(Type.Integer({ minimum: 1, maximum: 65535, default: 5432 })),
    database: Type.String({ minLength: 1, maxLength: 63 }),
    user: Type.String({ minLength: 1, maxLength: 63 }),
    password: Type.Optional(Type.String({ maxLength: 1024 })),
    ssl: Type.Optional(
      Type.Union(
        [
          Type.Literal('disable'),
          Type.Literal('prefer'),
          Type.Literal('require'),
          Type.Literal('verify-full'),
        ],
        { default: 'prefer' },
      ),
    ),
    caCertificate: Type.Optional(
      Type.String({ maxLength: 65536, description: 'PEM, for `verify-full`' }),
    ),
    schema: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 63,
        default: 'public',
        description: 'Where a node without a schema of its own reads and writes',
      }),
    ),
    connectTimeoutSeconds: Type.Optional(Type.Integer({ minimum: 1, maximum: 60, default: 10 })),
    options: Type.Optional(
      Type.Record(Type.String(), Type.String({ maxLength: 1024 }), {
        description: 'Server settings for the session, such as search_path or application_name',
      }),
    ),
  },
  { additionalProperties: false },
);

export type PostgresConfig = Static<typeof config>;

export const postgresManifest: Manifest = {
  id: 'postgres',
  title: 'PostgreSQL',
  roles: ['source', 'destination'],
  config,
  secretKeys: ['password'],
  capabilities: [
    'source.table',
    'source.query',
    'destination.table',
    'check',
    'schemas',
    'tables',
    'catalogs',
    'preview',
    'query',
  ],
  dialect: 'postgres',
  example: { host: 'localhost', port: 5432, database: 'shop', user: 'loader', password: '…' },
};
