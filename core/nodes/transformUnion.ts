import { Type } from '@sinclair/typebox';
import type { Static } from '@sinclair/typebox';
import type { NodeType } from './nodeType.js';

const config = Type.Object({
  all: Type.Optional(
    Type.Boolean({ default: true, description: 'false: rows that are equal appear once' }),
  ),
  byName: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        'Columns belong together by name, and are NULL where an input lacks them; otherwise by ' +
        'position, and the first edge gives the names',
    }),
  ),
});

export type UnionConfig = Static<typeof config>;

export const transformUnion: NodeType = {
  type: 'transform.union',
  role: 'transform',
  title: 'Union',
  description: 'Puts the rows of several inputs one below the other, in the order of the edges.',
  inputs: [{ port: 'in', many: true }],
  outputs: ['out'],
  config,
  connectionKeys: [],
  example: { all: true, byName: true },
};
