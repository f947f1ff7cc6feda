import { Type } from '@sinclair/typebox';
import type { Static } from '@sinclair/typebox';
import { checkName, nameSchema } from '../names.js';
import { checkColumnList } from './columnNames.js';
import { columnListSchema, connectionIdSchema, expressionSchema, wordSchema } from './fields.js';
import { checkIncremental, incrementalSchema } from './incremental.js';
import type { NodeType } from './nodeType.js';

const config = Type.Object({
  connectionId: connectionIdSchema('A connection that can be read from'),
  table: nameSchema('A table or view'),
  schema: Type.Optional(nameSchema("Default: the connection's schema")),
  columns: Type.Optional(columnListSchema('Default: all columns')),
  where: Type.Optional(
    expressionSchema("Which rows, as a condition in the source system's own SQL"),
  ),
  incremental: Type.Optional(incrementalSchema),
  consistency: Type.Optional(
    wordSchema(['auto', 'snapshot', 'per_row'], {
      default: 'auto',
      description:
        'snapshot: all rows as of one moment. per_row: each row once, as of the moment it is ' +
        'read; an interrupted run then goes on where it stopped. auto: what suits the table',
    }),
  ),
  window: Type.Optional(
    Type.Object(
      {
        column: nameSchema(),
        from: Type.String({ minLength: 1, maxLength: 200, description: 'Included' }),
        to: Type.String({ minLength: 1, maxLength: 200, description: 'Not included' }),
      },
      {
        description:
          "Only rows whose value lies in [from, to), written in the source system's notation",
      },
    ),
  ),
});

export type SourceTableConfig = Static<typeof config>;

export const sourceTable: NodeType = {
  type: 'source.table',
  role: 'source',
  title: 'Table',
  description: 'Reads the rows of a table or view, whole, in part, or what is new in it.',
  inputs: [],
  outputs: ['out'],
  config,
  connectionKeys: ['connectionId'],
  check: (value, at) => {
    const { table, schema, columns, incremental, window } = value as SourceTableConfig;
    return [
      ...checkName(table, `${at}/table`),
      ...(schema === undefined ? [] : checkName(schema, `${at}/schema`)),
      ...checkColumnList(columns ?? [], `${at}/columns`),
      ...checkIncremental(incremental, `${at}/incremental`),
      ...(window ? checkName(window.column, `${at}/window/column`) : []),
    ];
  },
  sqlIn: (value) => {
    const { where } = value as SourceTableConfig;
    if (where === undefined) return [];
    return [{ pointer: '/where', sql: where, kind: 'expression', dialect: 'connection' }];
  },
  example: {
    connectionId: '0197f5f6-0000-7000-8000-000000000000',
    table: 'orders',
    columns: ['id', 'customer_id', 'amount', 'updated_at'],
    where: "status <> 'draft'",
    incremental: { cursorColumn: 'updated_at', lookback: 'PT10M' },
  },
};
