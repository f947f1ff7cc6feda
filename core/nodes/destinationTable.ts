import { Type } from '@sinclair/typebox';
import type { Static } from '@sinclair/typebox';
import type { NodeType } from './nodeType.js';

const config = Type.Object({
  connectionId: Type.String({
    pattern: '^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$',
    description: 'A connection that can be written to',
    errorMessage: 'The id of a connection.',
  }),
  table: Type.String({ minLength: 1, maxLength: 63 }),
  schema: Type.Optional(
    Type.String({ minLength: 1, maxLength: 63, description: "Default: the connection's schema" }),
  ),
  mode: Type.Literal('append', {
    description: 'append adds rows',
    errorMessage: 'This version loads in mode append only.',
  }),
  createTable: Type.Optional(
    Type.Boolean({ default: true, description: 'Create the table where it is missing' }),
  ),
});

export type DestinationTableConfig = Static<typeof config>;

/** Settings of the catalogue that this version does not honour yet: refused rather than ignored. */
const notYet = ['keys', 'onSchemaChange', 'maxErrors', 'atomic', 'orderBy', 'verify'] as const;

export const destinationTable: NodeType = {
  type: 'destination.table',
  role: 'destination',
  title: 'Table',
  description: 'Loads rows into a table, each split in one transaction and exactly once.',
  inputs: [{ port: 'in', many: false }],
  outputs: [],
  config,
  check: (value, at) =>
    notYet
      .filter((key) => key in (value as object))
      .map((key) => ({
        pointer: `${at}/${key}`,
        code: 'unsupported',
        message: `This version does not support ${key}.`,
      })),
  example: {
    connectionId: '0197f5f6-0000-7000-8000-000000000000',
    table: 'orders',
    mode: 'append',
  },
};
