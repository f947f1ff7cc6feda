import type { Bounds } from '../connector.js';
import { quoteName, quoteTable, quoteText } from './quote.js';
import type { TableName } from './quote.js';
import { isTable } from '../tableNodes.js';
import type { QuerySource, SourceConfig, TableSource, Window } from '../tableNodes.js';

/** Rows [from, to) by one column that is never null; values in DuckDB's own text. */
export interface KeyRange {
  key: string;
  type: string;
  from?: string;
  to?: string;
}

export interface Selection {
  config: SourceConfig;
  bounds?: Bounds;
}

/** Where names are looked up that say no more. */
export interface Names {
  catalog: string;
  schema: string;
}

export const tableNameOf = ({ schema, table }: TableSource, names: Names): TableName => ({
  schema: schema ?? names.schema,
  table,
});

/** A statement of a user's own within ours: a comment at its end must not swallow what follows. */
const enclosed = (sql: string): string => `(\n${sql}\n)`;

/** A query may be written with the semicolon that would end it. */
export const unterminated = (sql: string): string => sql.replace(/[\s;]+$/, '');

/** A text takes the type of the column that it is compared with. */
const literal = (value: string | number): string => quoteText(String(value));

const windowConditions = ({ column, from, to }: Window): string[] => [
  `${quoteName(column)} >= ${literal(from)}`,
  `${quoteName(column)} < ${literal(to)}`,
];

const boundConditions = ({ column, above, upTo }: Bounds): string[] => [
  ...(above === undefined ? [] : [`${quoteName(column)} > ${literal(above)}`]),
  ...(upTo === undefined
    ? []
    : [upTo === null ? 'false' : `${quoteName(column)} <= ${literal(upTo)}`]),
];

const keyConditions = ({ key, type, from, to }: KeyRange): string[] => {
  const value = (text: string): string => `CAST(${quoteText(text)} AS ${type})`;
  return [
    ...(from === undefined ? [] : [`${quoteName(key)} >= ${value(from)}`]),
    ...(to === undefined ? [] : [`${quoteName(key)} < ${value(to)}`]),
  ];
};

const withOf = (config: QuerySource, names: Names): string => {
  const entries = (config.with ?? []).map(
    (entry) =>
      `${quoteName(entry.name)} AS ${enclosed(selectSql({ config: entry.config }, names))}`,
  );
  return entries.length === 0 ? '' : `WITH ${entries.join(', ')} `;
};

/** The rows of a source, or of a part of it, as a query that can stand within another one. */
export const selectSql = (
  { config, bounds }: Selection,
  names: Names,
  range?: KeyRange,
): string => {
  const conditions = [
    ...(range ? keyConditions(range) : []),
    ...(isTable(config) && config.where !== undefined ? [enclosed(config.where)] : []),
    ...(isTable(config) && config.window ? windowConditions(config.window) : []),
    ...(bounds ? boundConditions(bounds) : []),
  ];
  const where = conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`;
  if (isTable(config)) {
    const list = config.columns ? config.columns.map(quoteName).join(', ') : '*';
    return `SELECT ${list} FROM ${quoteTable(names.catalog, tableNameOf(config, names))}${where}`;
  }
  const sql = enclosed(unterminated(config.sql));
  return `${withOf(config, names)}SELECT * FROM ${sql} AS fluxline_source${where}`;
};
