import { parseDataType } from '../dataTypes.js';
import type { Column, DataType } from '../dataTypes.js';
import type { GeneratedColumn } from './columns.js';

const least32 = -2_147_483_648;
const most32 = 2_147_483_647;

const typeOf = (column: GeneratedColumn): DataType => {
  switch (column.generator) {
    case 'sequence':
      return { kind: 'bigint' };
    case 'integer':
      return { kind: column.min >= least32 && column.max <= most32 ? 'integer' : 'bigint' };
    case 'decimal':
      return { kind: 'decimal', precision: column.precision, scale: column.scale };
    case 'double':
    case 'boolean':
    case 'text':
    case 'uuid':
    case 'date':
      return { kind: column.generator };
    case 'timestamp':
      return { kind: 'timestamptz' };
    case 'name':
    case 'email':
      return { kind: 'text' };
    case 'choice':
    case 'constant':
      return parseDataType(column.type ?? 'text') ?? { kind: 'text' };
  }
};

const hasNulls = (column: GeneratedColumn): boolean => {
  if ((column.nullRate ?? 0) > 0) return true;
  if (column.generator === 'constant') return column.value === null;
  return column.generator === 'choice' && column.values.includes(null);
};

export const columnOf = (column: GeneratedColumn): Column => ({
  name: column.name,
  type: typeOf(column),
  nullable: hasNulls(column),
});
