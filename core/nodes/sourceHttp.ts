import { Type } from '@sinclair/typebox';
import type { Static } from '@sinclair/typebox';
import { checkDocumentColumns, documentColumnsSchema } from './documentColumns.js';
import { connectionIdSchema } from './fields.js';
import { checkHttpPath, httpPathSchema } from './httpPath.js';
import type { NodeType } from './nodeType.js';
import { checkPagination, paginationSchema, recordPathSchema } from './pagination.js';

const config = Type.Object({
  connectionId: connectionIdSchema('A connection to an HTTP API'),
  path: httpPathSchema("What is read, below the connection's baseUrl"),
  recordPath: Type.Optional(
    recordPathSchema(
      'Where an answer has its records. An array holds one in each element, an object is one. ' +
        'Default: the whole answer',
    ),
  ),
  pagination: Type.Optional(paginationSchema),
  query: Type.Optional(
    Type.Record(
      Type.String({ minLength: 1 }),
      Type.Union([Type.String({ maxLength: 8_000 }), Type.Number(), Type.Boolean()]),
      { description: 'Query parameters of every request' },
    ),
  ),
  columns: Type.Optional(documentColumnsSchema()),
});

export type SourceHttpConfig = Static<typeof config>;

export const sourceHttp: NodeType = {
  type: 'source.http',
  role: 'source',
  title: 'HTTP API',
  description: 'Reads records from a REST API that answers with JSON, page by page.',
  inputs: [],
  outputs: ['out'],
  config,
  connectionKeys: ['connectionId'],
  check: (value, at) => {
    const { path, pagination, columns } = value as SourceHttpConfig;
    return [
      ...checkHttpPath(path, `${at}/path`),
      ...checkPagination(pagination, `${at}/pagination`),
      ...checkDocumentColumns(columns, `${at}/columns`),
    ];
  },
  example: {
    connectionId: '0197f5f6-0000-7000-8000-000000000000',
    path: '/orders',
    recordPath: 'data.items',
    query: { status: 'paid' },
    pagination: { type: 'cursor', param: 'after', cursorPath: 'data.next' },
  },
};
