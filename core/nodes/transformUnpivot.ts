import { Type } from '@sinclair/typebox';
import type { Static } from '@sinclair/typebox';
import { nameSchema } from '../names.js';
import { checkColumnList, checkNewColumns } from './columnNames.js';
import { columnListSchema } from './fields.js';
import type { NodeType } from './nodeType.js';

const config = Type.Object({
  columns: columnListSchema('The columns that become rows'),
  nameColumn: nameSchema('The new column that holds what they are called'),
  valueColumn: nameSchema('The new column that holds their values'),
  includeNulls: Type.Optional(
    Type.Boolean({ default: false, description: 'Make rows of NULLs too' }),
  ),
});

export type UnpivotConfig = Static<typeof config>;

export const transformUnpivot: NodeType = {
  type: 'transform.unpivot',
  role: 'transform',
  title: 'Unpivot',
  description: 'Makes a row of each of the columns: its name, its value, and all other columns.',
  inputs: [{ port: 'in', many: false }],
  outputs: ['out'],
  config,
  connectionKeys: [],
  check: (value, at) => {
    const { columns, nameColumn, valueColumn } = value as UnpivotConfig;
    return [
      ...checkColumnList(columns, `${at}/columns`),
      ...checkNewColumns([nameColumn, valueColumn], (index) =>
        index === 0 ? `${at}/nameColumn` : `${at}/valueColumn`,
      ),
    ];
  },
  example: {
    columns: ['q1', 'q2', 'q3', 'q4'],
    nameColumn: 'quarter',
    valueColumn: 'amount',
  },
};
