import { parseDataType } from '../../core/dataTypes.js';
import type { Column, DataType } from '../../core/dataTypes.js';
import { RunFailure } from '../../core/failures.js';
import type { SplitRange } from '../../connectors/connector.js';
import type { FileFormat } from '../../core/nodes/filePaths.js';
import type { CsvLayout } from './csvSample.js';
import type { Packing } from './format.js';

/** A file of a split, or a part of one: bytes of a csv, rows of a Parquet file. */
export interface FilePart {
  key: string;
  /** As it was when the split was planned. */
  etag: string;
  /** About how many there are of it. */
  bytes: number;
  from?: number;
  to?: number;
  /** Of a csv, all of it: it begins like one that can be read where it is. */
  plain?: boolean;
}

/** What a split of files is kept as. Columns are named with their types, as they were planned. */
export interface FileRange {
  format: FileFormat;
  files: readonly FilePart[];
  columns: readonly (readonly [name: string, type: string])[];
  /** The user listed the columns; others that files have do not count. */
  listed: boolean;
  packing: Packing;
  csv?: CsvLayout;
  /** How many splits there are. */
  splits?: number;
  /** Of JSON objects, the member that each column is. */
  members?: readonly string[];
}

export const typeWord = (type: DataType): string =>
  type.kind === 'decimal' ? `decimal(${type.precision},${type.scale})` : type.kind;

export const columnOf = (name: string, word: string): Column => {
  const type = parseDataType(word);
  if (type) return { name, type, nullable: true };
  throw new RunFailure({
    code: 'config_invalid',
    class: 'config',
    message: `Column ${name}: there is no type ${word}.`,
  });
};

export const columnsOfRange = (range: FileRange): Column[] =>
  range.columns.map(([name, word]) => columnOf(name, word));

/** It was kept as JSON of this shape by `splits`, and by nobody else. */
export const fileRangeOf = (range: SplitRange): FileRange => range as unknown as FileRange;

export const asSplitRange = (range: FileRange): SplitRange => ({ ...range });
