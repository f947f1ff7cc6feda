/** Rows as lines of JSON, one object each, in which every value has all it had. */
import type { DataType, PlainType } from '../../core/dataTypes.js';
import { quoteText } from '../duckdb/quote.js';
import { textSelect } from '../transform/csv.js';
import { requireDistinctNames, slot } from '../transform/relation.js';
import type { RelationColumn } from '../transform/relation.js';
import { toText } from '../transform/toText.js';
import { toTyped } from '../transform/toTyped.js';

/** Lines are written as they are with this: no text of JSON has such a character in it. */
const rawLines = `(FORMAT csv, HEADER false, QUOTE '', ESCAPE '', DELIMITER '\\x01')`;

const jsonText = (x: string): string => `to_json(${x})::VARCHAR`;

const wholeNumber = '-?(0|[1-9][0-9]*)';
const anyNumber = `${wholeNumber}([.][0-9]+)?([eE][+-]?[0-9]+)?`;

const odd: Readonly<Record<string, string>> = {
  nan: 'NaN',
  inf: 'Infinity',
  infinity: 'Infinity',
  '-inf': '-Infinity',
  '-infinity': '-Infinity',
};

/** Digits stay as they are. */
const whole = (x: string, type: DataType): string =>
  `CASE WHEN regexp_full_match(${x}, '${wholeNumber}') THEN ${x} ` +
  `ELSE ${jsonText(toTyped(x, type))} END`;

/** Digits stay as they are. JSON has no such thing as infinity; as a text it is not lost. */
const number = (x: string, type: DataType): string => {
  const words = Object.entries(odd).map(
    ([word, said]) => `WHEN '${word}' THEN ${quoteText(`"${said}"`)}`,
  );
  const others = `CASE lower(${x}) ${words.join(' ')} ELSE ${jsonText(toTyped(x, type))} END`;
  return `CASE WHEN regexp_full_match(${x}, '${anyNumber}') THEN ${x} ELSE ${others} END`;
};

/** Between its parts JSON may have line ends, which would end a line here. */
const json = (x: string): string =>
  `CASE WHEN json_valid(${x}) THEN replace(replace(${x}, chr(10), ' '), chr(13), ' ') ` +
  `WHEN ${x} IS NOT NULL THEN error('not a value of type json') END`;

/** ISO 8601, where it knows the moment: PostgreSQL's text has a blank where ISO has a T. */
const timestamp = (x: string, type: DataType, zone: string): string => {
  const text = toText(toTyped(x, type), type);
  const iso = `replace(replace(${text}, ' ', 'T'), '+00', '') || '${zone}'`;
  const plain = `regexp_full_match(${text}, '[0-9]{4,}-[0-9]{2}-[0-9]{2} [0-9:.]+([+]00)?')`;
  return jsonText(`CASE WHEN ${plain} THEN ${iso} ELSE ${text} END`);
};

const conversions: Readonly<Partial<Record<PlainType, (x: string, type: DataType) => string>>> = {
  boolean: (x, type) => jsonText(toTyped(x, type)),
  smallint: whole,
  integer: whole,
  bigint: whole,
  real: number,
  double: number,
  numeric: number,
  bytes: (x, type) => jsonText(`to_base64(${toTyped(x, type)})`),
  timestamp: (x, type) => timestamp(x, type, ''),
  timestamptz: (x, type) => timestamp(x, type, 'Z'),
  json,
};

/** `x`: the SQL of a text as PostgreSQL writes it. */
const asJson = (x: string, type: DataType): string => {
  if (type.kind === 'decimal') return number(x, type);
  return conversions[type.kind]?.(x, type) ?? jsonText(x);
};

/** Writes the rows of `sql` to a file. */
export const copyLinesSql = (
  sql: string,
  columns: readonly RelationColumn[],
  path: string,
): string => {
  requireDistinctNames(columns);
  const members = columns.map(({ name, type }, index) => {
    const key = quoteText(`${index === 0 ? '{' : ','}${JSON.stringify(name)}:`);
    return `${key} || coalesce(${asJson(slot(index), type)}, 'null')`;
  });
  const line = `${members.join(' || ')} || '}'`;
  return `COPY (SELECT ${line} FROM (${textSelect(sql, columns)})) TO ${quoteText(path)} ${rawLines}`;
};
