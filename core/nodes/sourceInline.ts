import { Type } from '@sinclair/typebox';
import type { Static } from '@sinclair/typebox';
import { dataTypeWords, parseDataType } from '../dataTypes.js';
import type { Issue } from '../errors.js';
import { inlineField } from '../generate/inlineField.js';
import { duplicates } from './columnNames.js';
import type { NodeType } from './nodeType.js';

const config = Type.Object({
  columns: Type.Array(
    Type.Object({
      name: Type.String({ minLength: 1, maxLength: 63 }),
      type: Type.String({ description: `One of ${dataTypeWords.join(', ')}` }),
    }),
    { minItems: 1, maxItems: 1000 },
  ),
  rows: Type.Array(
    Type.Array(Type.Unknown(), { description: 'As many values as there are columns' }),
    { maxItems: 10_000 },
  ),
});

export type SourceInlineConfig = Static<typeof config>;

const mostIssues = 20;

const checkTypes = ({ columns }: SourceInlineConfig, at: string): Issue[] =>
  columns.flatMap(({ type }, index) =>
    parseDataType(type)
      ? []
      : [
          {
            pointer: `${at}/columns/${index}/type`,
            code: 'unknown_type',
            message: `Unknown type. Known are ${dataTypeWords.join(', ')}.`,
          },
        ],
  );

const checkRows = ({ columns, rows }: SourceInlineConfig, at: string): Issue[] => {
  const types = columns.map(({ type }) => parseDataType(type));
  const issues: Issue[] = [];
  for (const [index, row] of rows.entries()) {
    if (issues.length >= mostIssues) break;
    const pointer = `${at}/rows/${index}`;
    if (row.length !== columns.length) {
      const message = `The row has ${row.length} values for ${columns.length} columns.`;
      issues.push({ pointer, code: 'row_length', message });
      continue;
    }
    for (const [column, value] of row.entries()) {
      const type = types[column];
      if (!type || inlineField(type, value) !== undefined) continue;
      const message = `Not a ${columns[column]?.type ?? ''}.`;
      issues.push({ pointer: `${pointer}/${column}`, code: 'value', message });
    }
  }
  return issues;
};

export const sourceInline: NodeType = {
  type: 'source.inline',
  role: 'source',
  title: 'Inline rows',
  description: 'Rows written into the pipeline itself.',
  inputs: [],
  outputs: ['out'],
  config,
  check: (value, at) => {
    const inline = value as SourceInlineConfig;
    const names = inline.columns.map(({ name }) => name);
    return [...duplicates(names, at), ...checkTypes(inline, at), ...checkRows(inline, at)];
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
