import { Type } from '@sinclair/typebox';
import type { Static } from '@sinclair/typebox';
import { connectionIdSchema, querySchema } from './fields.js';
import { checkIncremental, incrementalSchema } from './incremental.js';
import type { NodeType } from './nodeType.js';
import type { SourceTableConfig } from './sourceTable.js';

const config = Type.Object({
  connectionId: connectionIdSchema('A connection that can be read from'),
  sql: querySchema("One reading query in the source system's own SQL"),
  incremental: Type.Optional(incrementalSchema),
});

export type SourceQueryConfig = Static<typeof config>;

/** A relation that a query names: what a source of the same connection reads. */
export type NamedSource = { name: string } & (
  | { type: 'source.table'; config: SourceTableConfig }
  | { type: 'source.query'; config: SourceQueryConfig }
);

/** As the planner hands it on: `with` holds the inputs of a `transform.sql` that runs elsewhere. */
export type PlannedQueryConfig = SourceQueryConfig & { with?: readonly NamedSource[] };

export const sourceQuery: NodeType = {
  type: 'source.query',
  role: 'source',
  title: 'Query',
  description: 'Reads what a query answers, which the source system runs.',
  inputs: [],
  outputs: ['out'],
  config,
  connectionKeys: ['connectionId'],
  check: (value, at) =>
    checkIncremental((value as SourceQueryConfig).incremental, `${at}/incremental`),
  sqlIn: (value) => {
    const { sql } = value as SourceQueryConfig;
    return [{ pointer: '/sql', sql, kind: 'query', dialect: 'connection' }];
  },
  example: {
    connectionId: '0197f5f6-0000-7000-8000-000000000000',
    sql: 'SELECT customer_id, sum(amount) AS spent FROM orders GROUP BY customer_id',
  },
};
