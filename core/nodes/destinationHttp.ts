import { Type } from '@sinclair/typebox';
import type { Static } from '@sinclair/typebox';
import { checkBodyTemplate, recordPlace, recordsPlace } from './bodyTemplate.js';
import { connectionIdSchema, maxErrorsSchema, wordSchema } from './fields.js';
import { checkHttpPath, httpPathSchema } from './httpPath.js';
import type { NodeType } from './nodeType.js';

const config = Type.Object({
  connectionId: connectionIdSchema('A connection to an HTTP API'),
  path: httpPathSchema("Where records are sent, below the connection's baseUrl"),
  method: Type.Optional(wordSchema(['POST', 'PUT', 'PATCH'], { default: 'POST' })),
  batchSize: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 10_000,
      default: 100,
      description: 'How many records a request has at most',
      errorMessage: 'Expected a batch of 1 to 10000 records.',
    }),
  ),
  body: Type.Optional(
    Type.Unknown({
      description:
        `The body of a request as JSON, in which "${recordsPlace}" stands for an array of records ` +
        `and "${recordPlace}" for a single one. Default: the array alone`,
    }),
  ),
  maxErrors: Type.Optional(maxErrorsSchema()),
});

export type DestinationHttpConfig = Static<typeof config>;

export const destinationHttp: NodeType = {
  type: 'destination.http',
  role: 'destination',
  title: 'HTTP API',
  description: 'Sends rows to a REST API as JSON, batch by batch and at least once.',
  inputs: [{ port: 'in', many: false }],
  outputs: [],
  config,
  connectionKeys: ['connectionId'],
  check: (value, at) => {
    const { path, body, batchSize } = value as DestinationHttpConfig;
    return [
      ...checkHttpPath(path, `${at}/path`),
      ...checkBodyTemplate(body, batchSize, `${at}/body`),
    ];
  },
  example: {
    connectionId: '0197f5f6-0000-7000-8000-000000000000',
    path: '/contacts/batch',
    batchSize: 200,
    body: { contacts: recordsPlace, source: 'warehouse' },
  },
};
