import { Type } from '@sinclair/typebox';
import type { Static } from '@sinclair/typebox';
import type { Manifest } from '../manifest.js';

const config = Type.Object(
  {
    host: Type.String({ minLength: 1, maxLength: 253 }),
    port: Type.Optional(Type.Integer({ minimum: 1, maximum: 65535, default: 3306 })),
    database: Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'Where a node without a schema of its own reads and writes',
    }),
    user: Type.String({ minLength: 1, maxLength: 128 }),
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
    connectTimeoutSeconds: Type.Optional(Type.Integer({ minimum: 1, maximum: 60, default: 10 })),
    options: Type.Optional(
      Type.Record(
        Type.String({ pattern: '^[A-Za-z_][A-Za-z0-9_]*$' }),
        Type.String({ maxLength: 1024 }),
        { description: 'System variables for the session, such as join_buffer_size' },
      ),
    ),
  },
  { additionalProperties: false },
);

export type MysqlConfig = Static<typeof config>;

export const mysqlManifest: Manifest = {
  id: 'mysql',
  title: 'MariaDB and MySQL (tested with MariaDB 10.11; MySQL 8 is not verified)',
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
    'preview',
    'query',
  ],
  dialect: 'mysql',
  remarks: [
    'Tested with MariaDB 10.11; MySQL 8 is not verified.',
    'Tables are read by key, each row once; there is no snapshot of a whole table.',
    '`0000-00-00` and times beyond a day are passed on as they are, and a destination whose type cannot hold them rejects the row; a query with `NULLIF(d, 0)` makes them NULL.',
    'Tables that an append creates carry an invisible column `_fluxline_commit`, by which undo finds the rows of a run. An append to any other table becomes visible all at once and cannot be undone after that.',
    'Replace swaps tables and is refused where foreign keys or triggers hang on the table. Only tables of an engine with transactions can be loaded.',
    'Decimals are rounded to the scale of their column, and fractions of seconds are cut to its precision, without notice.',
    'A freshly filled table may be read in one piece until the server has counted it (`ANALYZE TABLE`).',
  ],
  example: { host: 'localhost', port: 3306, database: 'shop', user: 'loader', password: '…' },
};
