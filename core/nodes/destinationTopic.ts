import { Type } from '@sinclair/typebox';
import type { Static } from '@sinclair/typebox';
import { checkName, nameSchema } from '../names.js';
import { connectionIdSchema, maxErrorsSchema } from './fields.js';
import type { NodeType } from './nodeType.js';
import { topicSchema } from './topicName.js';

const config = Type.Object({
  connectionId: connectionIdSchema('A connection to a broker'),
  topic: topicSchema('Where messages are sent'),
  key: Type.Optional(
    nameSchema('The column whose values are the keys of the messages. Default: they have none'),
  ),
  maxErrors: Type.Optional(maxErrorsSchema()),
});

export type DestinationTopicConfig = Static<typeof config>;

export const destinationTopic: NodeType = {
  type: 'destination.topic',
  role: 'destination',
  title: 'Topic',
  description: 'Sends rows to a topic, each as a message of JSON and at least once.',
  inputs: [{ port: 'in', many: false }],
  outputs: [],
  config,
  connectionKeys: ['connectionId'],
  check: (value, at) => {
    const { key } = value as DestinationTopicConfig;
    return key === undefined ? [] : checkName(key, `${at}/key`);
  },
  example: {
    connectionId: '0197f5f6-0000-7000-8000-000000000000',
    topic: 'orders',
    key: 'order_id',
  },
};
