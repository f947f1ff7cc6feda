import { Type } from '@sinclair/typebox';
import type { Static } from '@sinclair/typebox';
import { checkDocumentColumns, documentColumnsSchema } from './documentColumns.js';
import { connectionIdSchema, wordSchema } from './fields.js';
import type { NodeType } from './nodeType.js';
import { checkTopicBound, topicBoundSchema } from './topicBounds.js';
import { topicSchema } from './topicName.js';

const config = Type.Object({
  connectionId: connectionIdSchema('A connection to a broker'),
  topic: topicSchema('What is read'),
  from: Type.Optional(topicBoundSchema('The first message; default: the oldest there is')),
  to: Type.Optional(
    topicBoundSchema('The first one that is not read; default: what comes after the run began'),
  ),
  format: Type.Optional(
    wordSchema(['json'], { default: 'json', description: 'What messages are' }),
  ),
  columns: Type.Optional(documentColumnsSchema()),
});

export type SourceTopicConfig = Static<typeof config>;

export const sourceTopic: NodeType = {
  type: 'source.topic',
  role: 'source',
  title: 'Topic',
  description: 'Reads the messages of a topic between two places, as records of JSON.',
  inputs: [],
  outputs: ['out'],
  config,
  connectionKeys: ['connectionId'],
  check: (value, at) => {
    const { from, to, columns } = value as SourceTopicConfig;
    return [
      ...checkTopicBound(from, `${at}/from`),
      ...checkTopicBound(to, `${at}/to`),
      ...checkDocumentColumns(columns, `${at}/columns`),
    ];
  },
  example: {
    connectionId: '0197f5f6-0000-7000-8000-000000000000',
    topic: 'orders',
    from: '2026-11-01T00:00:00Z',
    to: '2026-11-02T00:00:00Z',
  },
};
