/**
 * The column types a pipeline can name. They are words of our own with PostgreSQL's meaning;
 * each connector maps them to what its system calls them.
 */
const plain = [
  'boolean',
  'smallint',
  'integer',
  'bigint',
  'real',
  'double',
  'text',
  'bytes',
  'uuid',
  'date',
  'time',
  'timestamp',
  'timestamptz',
  'interval',
  'numeric',
  'json',
] as const;

export type PlainType = (typeof plain)[number];

export type DataType = { kind: PlainType } | { kind: 'decimal'; precision: number; scale: number };

export const dataTypeWords: readonly string[] = [...plain, 'decimal(p,s)'];

/** PostgreSQL's own limit; the narrower one of a destination is the destination's to say. */
const maxPrecision = 1000;

export const parseDataType = (word: string): DataType | undefined => {
  const kind = plain.find((candidate) => candidate === word);
  if (kind) return { kind };
  const decimal = /^decimal\((\d{1,4}),(\d{1,4})\)$/.exec(word.replaceAll(' ', ''));
  if (!decimal) return undefined;
  const precision = Number(decimal[1]);
  const scale = Number(decimal[2]);
  if (precision < 1 || precision > maxPrecision || scale > precision) return undefined;
  return { kind: 'decimal', precision, scale };
};

/** A type in the words of one system: another table of that system can have the very same. */
export interface NativeType {
  system: string;
  type: string;
  /** Its binary form means the same in every database of that system. */
  portable: boolean;
}

export interface Column {
  name: string;
  /** What our other systems take it for. Types without a word of ours are text in their own form. */
  type: DataType;
  nullable: boolean;
  native?: NativeType;
  /** Of records of JSON: the member that it is, where that has another name. */
  member?: string;
}
