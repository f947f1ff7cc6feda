import type { DataType, PlainType } from '../../core/dataTypes.js';
import type { Column } from '../connector.js';
import { nameList, quoteName } from './quote.js';
import type { Session } from './session.js';
import { traceColumn } from './tableConfig.js';

const native: Readonly<Record<PlainType, string>> = {
  boolean: 'tinyint(1)',
  smallint: 'smallint',
  integer: 'int',
  bigint: 'bigint',
  real: 'float',
  double: 'double',
  text: 'longtext',
  bytes: 'longblob',
  uuid: 'char(36)',
  date: 'date',
  time: 'time(6)',
  timestamp: 'datetime(6)',
  // In UTC: the type with a zone ends in 2038.
  timestamptz: 'datetime(6)',
  interval: 'varchar(100)',
  // As many digits as there can be on both sides of the point.
  numeric: 'decimal(65,30)',
  json: 'json',
};

/** What can be part of a key has a length. */
const keyTypes: Readonly<Partial<Record<PlainType, string>>> = {
  text: 'varchar(255)',
  json: 'varchar(255)',
  bytes: 'varbinary(255)',
};

const decimalType = (precision: number, scale: number): string =>
  precision <= 65 && scale <= 30 ? `decimal(${precision},${scale})` : 'decimal(65,30)';

/** What a column of ours is created as. */
export const nativeType = (type: DataType, isKey = false): string => {
  if (type.kind === 'decimal') return decimalType(type.precision, type.scale);
  return (isKey ? keyTypes[type.kind] : undefined) ?? native[type.kind];
};

/** What a type of such a server can look like in DDL; values of enum and set are quoted by it. */
const typeForm =
  /^[a-z]+(\(([\d,]+|'(?:[^'\\]|'')*'(,'(?:[^'\\]|'')*')*)\))?( unsigned)?( zerofill)?$/;

const columnType = ({ type, native: own }: Column, isKey: boolean): string =>
  own?.system === 'mysql' && typeForm.test(own.type) && !(isKey && /text|blob/.test(own.type))
    ? own.type
    : nativeType(type, isKey);

export const columnSql = (column: Column, isKey = false): string => {
  const type = columnType(column, isKey);
  // A timestamp would take the time of day by itself where it is not told otherwise.
  return `${quoteName(column.name)} ${type}${column.nullable && !isKey ? ' null' : ' not null'}${
    /^timestamp/.test(type) && !column.nullable ? " default '1970-01-02'" : ''
  }`;
};

/** Texts are equal that are the same, blanks at their end included, as far as the server can that. */
const collationsSql = `
  select collation_name as name from information_schema.collations
   where collation_name in ('utf8mb4_nopad_bin', 'utf8mb4_0900_bin', 'utf8mb4_bin')
   order by collation_name = 'utf8mb4_bin', collation_name desc limit 1`;

export const createTable = async (
  session: Session,
  sql: string,
  columns: readonly Column[],
  { keys, traced }: { keys: readonly string[]; traced: boolean },
): Promise<void> => {
  const [collation] = await session.rows(collationsSql);
  const lines = columns.map((column) => columnSql(column, keys.includes(column.name)));
  if (traced) lines.push(`${quoteName(traceColumn)} bigint unsigned null invisible`);
  if (keys.length > 0) lines.push(`primary key (${nameList(keys)})`);
  await session.run(
    `create table if not exists ${sql} (${lines.join(', ')}) engine = InnoDB
       default character set utf8mb4 collate ${collation?.['name'] ?? 'utf8mb4_bin'}`,
  );
};
