import { Type } from '@sinclair/typebox';
import type { Static } from '@sinclair/typebox';
import { checkName, nameSchema } from '../names.js';
import { checkNewColumns } from './columnNames.js';
import { checkTypeWord, columnsOptions, typeWordSchema } from './fields.js';
import type { NodeType } from './nodeType.js';

const config = Type.Object({
  columns: Type.Array(
    Type.Object({
      name: nameSchema('What the column is called from here on'),
      from: Type.Optional(nameSchema('The column it comes from. Default: the one of its name')),
      cast: Type.Optional(typeWordSchema('The type it is turned into')),
    }),
    { ...columnsOptions, description: 'The columns that go on, in order; all others end here' },
  ),
});

export type SelectConfig = Static<typeof config>;

export const transformSelect: NodeType = {
  type: 'transform.select',
  role: 'transform',
  title: 'Select columns',
  description: 'Picks, orders, renames and casts columns.',
  inputs: [{ port: 'in', many: false }],
  outputs: ['out'],
  rowByRow: true,
  config,
  connectionKeys: [],
  check: (value, at) => {
    const { columns } = value as SelectConfig;
    return [
      ...checkNewColumns(
        columns.map(({ name }) => name),
        (index) => `${at}/columns/${index}/name`,
      ),
      ...columns.flatMap(({ from, cast }, index) => [
        ...(from === undefined ? [] : checkName(from, `${at}/columns/${index}/from`)),
        ...(cast === undefined ? [] : checkTypeWord(cast, `${at}/columns/${index}/cast`)),
      ]),
    ];
  },
  example: {
    columns: [
      { name: 'id' },
      { name: 'customer', from: 'customer_name' },
      { name: 'amount', cast: 'decimal(12,2)' },
    ],
  },
};
