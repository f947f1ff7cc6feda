import { Type } from '@sinclair/typebox';
import type { Static } from '@sinclair/typebox';
import type { Issue } from '../errors.js';
import { checkName, nameSchema } from '../names.js';
import { uuidPattern } from '../uuid.js';
import type { NodeType } from './nodeType.js';

const config = Type.Object({
  connectionId: Type.String({
    pattern: uuidPattern,
    description: 'A connection that can be written to',
    errorMessage: 'Expected the id of a connection.',
  }),
  table: nameSchema(),
  schema: Type.Optional(nameSchema("Default: the connection's schema")),
  mode: Type.Literal('append', {
    description: 'append adds rows',
    errorMessage: 'This version loads in mode append only.',
  }),
  createTable: Type.Optional(
    Type.Boolean({ default: true, description: 'Create the table where it is missing' }),
  ),
});

type DestinationTableConfig = Static<typeof config>;

/**
 * Settings of the catalogue that this version does not act on: refused rather than ignored, unless
 * the value says what is done anyway.
 */
const fixed: readonly [key: string, only?: string | number | boolean][] = [
  ['keys'],
  ['orderBy'],
  ['maxErrors', 0],
  ['atomic', false],
  ['onSchemaChange', 'fail'],
  ['verify', 'counts'],
];

const checkFixed = (config: object, at: string): Issue[] =>
  fixed
    .filter(([key, only]) => {
      const value = (config as Record<string, unknown>)[key];
      return value !== undefined && value !== only;
    })
    .map(([key, only]) => ({
      pointer: `${at}/${key}`,
      code: 'unsupported',
      message:
        only === undefined
          ? `This version does not support ${key}.`
          : `This version supports ${key} ${String(only)} only.`,
    }));

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
    const { table, schema } = value as DestinationTableConfig;
    return [
      ...checkName(table, `${at}/table`),
      ...(schema === undefined ? [] : checkName(schema, `${at}/schema`)),
      ...checkFixed(value as object, at),
    ];
  },
  example: {
    connectionId: '0197f5f6-0000-7000-8000-000000000000',
    table: 'orders',
    mode: 'append',
  },
};
