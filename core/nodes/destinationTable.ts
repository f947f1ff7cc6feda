import { Type } from '@sinclair/typebox';
import type { Static } from '@sinclair/typebox';
import type { Issue } from '../errors.js';
import { checkName, nameSchema } from '../names.js';
import { checkColumnList } from './columnNames.js';
import {
  checkOrder,
  columnListSchema,
  connectionIdSchema,
  maxErrorsSchema,
  winnerOrderSchema,
  wordSchema,
} from './fields.js';
import type { NodeType } from './nodeType.js';

const config = Type.Object({
  connectionId: connectionIdSchema('A connection that can be written to'),
  table: nameSchema(),
  schema: Type.Optional(nameSchema("Default: the connection's schema")),
  mode: wordSchema(['append', 'replace', 'upsert', 'delete'], {
    description:
      'append adds rows; replace puts them in the place of all there are, at once and at the ' +
      'end; upsert adds or changes rows by key; delete removes the rows with these keys',
  }),
  keys: Type.Optional(columnListSchema('The columns that tell rows apart, for upsert and delete')),
  createTable: Type.Optional(
    Type.Boolean({ default: true, description: 'Create the table where it is missing' }),
  ),
  onSchemaChange: Type.Optional(
    wordSchema(['fail', 'evolve', 'ignore'], {
      default: 'fail',
      description:
        'Where the table lacks columns: fail refuses to load, evolve adds them, ignore leaves ' +
        'their values out',
    }),
  ),
  maxErrors: Type.Optional(maxErrorsSchema()),
  atomic: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'For append: readers see all rows of the run or none of them',
    }),
  ),
  orderBy: Type.Optional(
    winnerOrderSchema('For upsert: among rows with equal keys the first in this order is written'),
  ),
  verify: Type.Optional(
    wordSchema(['counts', 'content'], {
      default: 'counts',
      description:
        'What is compared before a split is committed: numbers of rows, or with content also a ' +
        'checksum of the rows that came with one of what stands in the table then',
    }),
  ),
});

export type DestinationTableConfig = Static<typeof config>;

const checkMode = (
  { mode, keys, atomic, orderBy }: DestinationTableConfig,
  at: string,
): Issue[] => {
  const issues: Issue[] = [];
  if ((mode === 'upsert' || mode === 'delete') && keys === undefined) {
    const message = `Mode ${mode} needs keys: the columns that tell rows apart.`;
    issues.push({ pointer: `${at}/keys`, code: 'required', message });
  }
  if (orderBy !== undefined && mode !== 'upsert') {
    const message = 'orderBy says which row wins an upsert; other modes have no use for it.';
    issues.push({ pointer: `${at}/orderBy`, code: 'not_applicable', message });
  }
  if (atomic === true && mode !== 'append') {
    const message =
      mode === 'replace'
        ? 'Mode replace is atomic as it is; leave atomic out.'
        : 'Only an append can be atomic.';
    issues.push({ pointer: `${at}/atomic`, code: 'not_applicable', message });
  }
  return issues;
};

export const destinationTable: NodeType = {
  type: 'destination.table',
  role: 'destination',
  title: 'Table',
  description: 'Loads rows into a table, each split in one transaction and exactly once.',
  inputs: [{ port: 'in', many: false }],
  outputs: [],
  config,
  connectionKeys: ['connectionId'],
  check: (value, at) => {
    const table = value as DestinationTableConfig;
    return [
      ...checkName(table.table, `${at}/table`),
      ...(table.schema === undefined ? [] : checkName(table.schema, `${at}/schema`)),
      ...checkColumnList(table.keys ?? [], `${at}/keys`),
      ...checkOrder(table.orderBy, `${at}/orderBy`),
      ...checkMode(table, at),
    ];
  },
  example: {
    connectionId: '0197f5f6-0000-7000-8000-000000000000',
    table: 'orders',
    mode: 'upsert',
    keys: ['id'],
    orderBy: [{ column: 'updated_at', direction: 'desc' }],
  },
};
