import type { Column, DataType, PlainType } from '../../core/dataTypes.js';

/** A type as pg_type has it, domains resolved to what they are over. */
export interface TypeRow {
  oid: number;
  modifier: number;
  /** As DDL writes it, with its length or precision. */
  name: string;
  /** b(ase), c(omposite), e(num), p(seudo), r(ange), m(ultirange). */
  kind: string;
  category: string;
  /** Of what an array is an array; 0 for anything else. */
  element: number;
  /** Has a binary form that can be read back. */
  binary: boolean;
}

/** From here on, types are a database's own: another one has other types under these numbers. */
const firstOwnOid = 16384;

/** `char`, blank-padded: as text it has no blanks at its end. */
export const paddedOid = 1042;

const charOid = 18;
const numericOid = 1700;

const words: Readonly<Record<number, PlainType>> = {
  16: 'boolean',
  17: 'bytes',
  20: 'bigint',
  21: 'smallint',
  23: 'integer',
  26: 'bigint',
  28: 'bigint',
  29: 'bigint',
  114: 'json',
  700: 'real',
  701: 'double',
  1082: 'date',
  1083: 'time',
  1114: 'timestamp',
  1184: 'timestamptz',
  1186: 'interval',
  2950: 'uuid',
  3802: 'json',
};

/** Their binary form is the number of an object of this database: regclass and its kin. */
const references: ReadonlySet<number> = new Set([
  24, 2202, 2203, 2204, 2205, 2206, 3734, 3769, 4089, 4096, 4191, 8326,
]);

/** Digits after the point are the server's locale's, in the number only. */
const moneyOids: ReadonlySet<number> = new Set([790, 791]);

const numericType = (modifier: number): DataType => {
  if (modifier < 4) return { kind: 'numeric' };
  const precision = ((modifier - 4) >> 16) & 0xffff;
  // Eleven bits with a sign: there are scales below zero, and above the precision.
  const scale = (((modifier - 4) & 0x7ff) ^ 1024) - 1024;
  return scale < 0 || scale > precision
    ? { kind: 'numeric' }
    : { kind: 'decimal', precision, scale };
};

const typeOf = ({ oid, modifier }: TypeRow): DataType => {
  if (oid === numericOid) return numericType(modifier);
  return { kind: words[oid] ?? 'text' };
};

/** Whether every database has the type, so that a column elsewhere can be of it. */
const isEverywhere = ({ oid, kind, category, element }: TypeRow): boolean =>
  oid < firstOwnOid &&
  element < firstOwnOid &&
  'brm'.includes(kind) &&
  (category !== 'Z' || oid === charOid) &&
  !references.has(oid) &&
  !references.has(element);

/** What a column of the type is to us, and to another PostgreSQL. */
export const columnTypeOf = (row: TypeRow): Pick<Column, 'type' | 'native'> => {
  const type = typeOf(row);
  if (!isEverywhere(row)) return { type };
  const portable = row.binary && !moneyOids.has(row.oid);
  return { type, native: { system: 'postgres', type: row.name, portable } };
};
