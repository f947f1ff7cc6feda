import { Type } from '@sinclair/typebox';
import type { Static } from '@sinclair/typebox';
import { parseDataType } from '../dataTypes.js';
import type { Issue } from '../errors.js';
import { inlineField } from '../generate/inlineField.js';
import { nameSchema } from '../names.js';
import { checkNewColumns } from './columnNames.js';
import { checkTypeWord, columnsOptions, typeWordSchema } from './fields.js';
import type { NodeType } from './nodeType.js';

const config = Type.Object({
  columns: Type.Array(Type.Object({ name: nameSchema(), type: typeWordSchema() }), columnsOptions),
  rows: Type.Array(
    Type.Array(Type.Unknown(), {
      description: 'As many values as there are columns; bytes are base64',
    }),
    { maxItems: 10_000 },
  ),
});

export type SourceInlineConfig = Static<typeof config>;

const mostIssues = 20;

const checkColumns = ({ columns }: SourceInlineConfig, at: string): Issue[] => [
  ...checkNewColumns(
    columns.map(({ name }) => name),
    (index) => `${at}/columns/${index}/name`,
  ),
  ...columns.flatMap(({ type }, index) => checkTypeWord(type, `${at}/columns/${index}/type`)),
];

const checkRows = ({ columns, rows }: SourceInlineConfig, at: string): Issue[] => {
  const types = columns.map(({ type }) => parseDataType(type));
  const issues: Issue[] = [];
  for (const [index, row] of rows.entries()) {
    if (issues.length >= mostIssues) break;
    const pointer = `${at}/rows/${index}`;
    if (row.length !== columns.length) {
      const message = `Row ${index + 1} has ${row.length} values for ${columns.length} columns.`;
      issues.push({ pointer, code: 'row_length', message });
      continue;
    }
    for (const [column, value] of row.entries()) {
      const type = types[column];
      if (!type || inlineField(type, value) !== undefined) continue;
      const { name = '', type: word = '' } = columns[column] ?? {};
      const message = `Row ${index + 1}, column ${name}: not a ${word}.`;
      issues.push({ pointer: `${pointer}/${column}`, code: 'value', message });
    }
  }
  return issues.slice(0, mostIssues);
};

export const sourceInline: NodeType = {
  type: 'source.inline',
  role: 'source',
  title: 'Inline rows',
  description: 'Rows written into the pipeline itself.',
  inputs: [],
  outputs: ['out'],
  config,
  connectionKeys: [],
  check: (value, at) => {
    const inline = value as SourceInlineConfig;
    return [...checkColumns(inline, at), ...checkRows(inline, at)];
  },
  example: {
    columns: [
      { name: 'id', type: 'integer' },
      { name: 'name', type: 'text' },
    ],
    rows: [
      [1, 'Ada'],
      [2, null],
    ],
  },
};
