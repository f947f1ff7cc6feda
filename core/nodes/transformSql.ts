import { Type } from '@sinclair/typebox';
import type { Static } from '@sinclair/typebox';
import { connectionIdSchema, querySchema } from './fields.js';
import type { NodeType } from './nodeType.js';

const config = Type.Object({
  sql: querySchema('One query over the inputs'),
  connectionId: Type.Optional(
    connectionIdSchema('Runs the query in that system instead, over its own tables'),
  ),
});

export type SqlConfig = Static<typeof config>;

/** What an input of `transform.sql` is called in its query. */
export const relationName = (port: string, from: string): string => (port === 'in' ? from : port);

export const transformSql: NodeType = {
  type: 'transform.sql',
  role: 'transform',
  title: 'SQL',
  description:
    'Runs a query (DuckDB) whose relations are the inputs, each called like the port its edge ' +
    'ends in, or for the port in like the node it comes from. With a connectionId that system ' +
    'runs it; then the inputs are sources of that connection that feed nothing else.',
  inputs: [{ port: 'in', many: true }],
  namedInputs: true,
  outputs: ['out'],
  config,
  connectionKeys: ['connectionId'],
  sqlIn: (value) => {
    const { sql, connectionId } = value as SqlConfig;
    const dialect = connectionId === undefined ? 'engine' : 'connection';
    return [{ pointer: '/sql', sql, kind: 'query', dialect }];
  },
  example: {
    sql: 'SELECT o.*, c.country FROM orders o JOIN customers c ON c.id = o.customer_id',
  },
};
