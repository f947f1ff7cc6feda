import type { DataType, PlainType } from '../../core/dataTypes.js';

/** How a value on the wire becomes a field of csv. */
export type FieldKind = 'plain' | 'text' | 'bytes' | 'moment' | 'flag' | 'bits';

/** A column of a result as the server announces it. */
export interface WireField {
  name: string;
  columnType: number;
  flags: number;
  characterSet: number;
  decimals: number;
  columnLength: number;
  /** MariaDB's own types travel as texts; this is what they are. */
  extendedTypeName?: string;
  extendedFormat?: string;
}

const notNullFlag = 1;
const unsignedFlag = 32;
const binaryCharacterSet = 63;
const floatType = 4;
const decimalTypes: ReadonlySet<number> = new Set([0, 246]);
const bitType = 16;
const jsonType = 245;
const geometryType = 255;
const texts: ReadonlySet<number> = new Set([15, 249, 250, 251, 252, 253, 254]);

const words: Readonly<Record<number, [signed: PlainType, unsigned?: PlainType]>> = {
  1: ['smallint'],
  2: ['smallint', 'integer'],
  3: ['integer', 'bigint'],
  4: ['real'],
  5: ['double'],
  7: ['timestamptz'],
  9: ['integer'],
  10: ['date'],
  11: ['time'],
  12: ['timestamp'],
  13: ['smallint'],
  14: ['date'],
};

const bigintOf = (unsigned: boolean): DataType =>
  unsigned ? { kind: 'decimal', precision: 20, scale: 0 } : { kind: 'bigint' };

const decimalOf = ({ columnLength, decimals, flags }: WireField): DataType => {
  const sign = (flags & unsignedFlag) === 0 ? 1 : 0;
  const precision = columnLength - sign - (decimals > 0 ? 1 : 0);
  const isKnown = precision >= 1 && precision <= 65 && decimals <= precision;
  return isKnown ? { kind: 'decimal', precision, scale: decimals } : { kind: 'numeric' };
};

const bitsOf = (length: number): { type: DataType; field: FieldKind } => ({
  type: length === 1 ? { kind: 'boolean' } : bigintOf(length === 64),
  field: length === 1 ? 'flag' : 'bits',
});

const textOf = (field: WireField): { type: DataType; field: FieldKind } => {
  if (field.extendedFormat === 'json' || field.columnType === jsonType) {
    return { type: { kind: 'json' }, field: 'text' };
  }
  if (field.extendedTypeName === 'uuid') return { type: { kind: 'uuid' }, field: 'plain' };
  const isBytes =
    field.columnType === geometryType ||
    (field.characterSet === binaryCharacterSet && field.extendedTypeName === undefined);
  return isBytes
    ? { type: { kind: 'bytes' }, field: 'bytes' }
    : { type: { kind: 'text' }, field: 'text' };
};

/** What a column of a result is to us, and how its values are written. */
export const typeOfField = (field: WireField): { type: DataType; field: FieldKind } => {
  const { columnType, flags, columnLength } = field;
  const unsigned = (flags & unsignedFlag) !== 0;
  if (texts.has(columnType) || columnType === jsonType || columnType === geometryType) {
    return textOf(field);
  }
  if (columnType === bitType) return bitsOf(columnLength);
  if (columnType === 8) return { type: bigintOf(unsigned), field: 'plain' };
  if (decimalTypes.has(columnType)) return { type: decimalOf(field), field: 'plain' };
  const word = words[columnType];
  if (!word) return { type: { kind: 'text' }, field: 'text' };
  const kind = (unsigned ? word[1] : undefined) ?? word[0];
  return { type: { kind }, field: kind === 'timestamptz' ? 'moment' : 'plain' };
};

export const isNullable = ({ flags }: WireField): boolean => (flags & notNullFlag) === 0;

/** Six digits of it are sent, which are not all there are. */
export const isFloat = ({ columnType }: WireField): boolean => columnType === floatType;
