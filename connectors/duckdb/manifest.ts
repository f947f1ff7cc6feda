import { Type } from '@sinclair/typebox';
import type { Static } from '@sinclair/typebox';
import type { Manifest } from '../manifest.js';

const config = Type.Object(
  {
    path: Type.String({
      pattern: '^/[^\\u0000]*[^/\\u0000]$',
      maxLength: 4096,
      description:
        'Absolute path of the database file, on the host that runs the workers and on a disk of ' +
        'its own; a load makes it where it is missing',
    }),
    schema: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 255,
        default: 'main',
        description: 'Where a node without a schema of its own reads and writes',
      }),
    ),
    lockTimeoutSeconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 600,
        default: 60,
        description: 'How long to wait while another process has the file open',
      }),
    ),
  },
  { additionalProperties: false },
);

export type DuckdbConfig = Static<typeof config>;

export const duckdbManifest: Manifest = {
  id: 'duckdb',
  title: 'DuckDB database file',
  roles: ['source', 'destination'],
  config,
  secretKeys: [],
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
  dialect: 'duckdb',
  remarks: [
    'One process at a time can have the file open for writing; loads wait for it and then fail with the reason `locked`.',
    'Rows of an append, replace or upsert gather inside the file and go into the table in one transaction at the end. Until then undo is exact; a published append cannot be undone.',
    'Tables are read by ranges of their primary key, others in one piece. Values that a cast of DuckDB would round or cut become bad rows.',
  ],
  example: { path: '/srv/analytics/warehouse.duckdb' },
};
