import type { Bounds } from '../connector.js';
import { quoteName, quoteTable, quoteText } from './quote.js';
import type { TableName } from './quote.js';
import { isTable } from '../tableNodes.js';
import type { SourceConfig, TableSource, Window } from '../tableNodes.js';

export const tableNameOf = ({ schema, table }: TableSource, database: string): TableName => ({
  schema: schema ?? database,
  table,
});

/** Rows [from, to) by one column that is never null. Values are literals of SQL. */
export interface KeyRange {
  key: string;
  from?: string;
  to?: string;
}

export interface Selection {
  config: SourceConfig;
  bounds?: Bounds;
}

/** A statement of a user's own within ours: a comment at its end must not swallow what follows. */
const enclosed = (sql: string): string => `(\n${sql}\n)`;

/** A query may be written with the semicolon that would end it. */
const unterminated = (sql: string): string => sql.replace(/[\s;]+$/, '');

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

const keyConditions = ({ key, from, to }: KeyRange): string[] => [
  ...(from === undefined ? [] : [`${quoteName(key)} >= ${from}`]),
  ...(to === undefined ? [] : [`${quoteName(key)} < ${to}`]),
];

const withOf = (config: SourceConfig, database: string): string => {
  if (isTable(config) || config.with === undefined || config.with.length === 0) return '';
  const entries = config.with.map(
    (entry) =>
      `${quoteName(entry.name)} as ${enclosed(selectSql({ config: entry.config }, database))}`,
  );
  return `with ${entries.join(', ')} `;
};

/** Whether rows are left out, so that the size of the table says little. */
export const isConditional = ({ config, bounds }: Selection): boolean =>
  (isTable(config) && (config.where !== undefined || config.window !== undefined)) ||
  bounds !== undefined;

/** The rows of a source, or of a part of it, as a query that can stand within another one. */
export const selectSql = (
  { config, bounds }: Selection,
  database: string,
  range?: KeyRange,
): string => {
  const conditions = [
    ...(range ? keyConditions(range) : []),
    ...(isTable(config) && config.where !== undefined ? [enclosed(config.where)] : []),
    ...(isTable(config) && config.window ? windowConditions(config.window) : []),
    ...(bounds ? boundConditions(bounds) : []),
  ];
  const where = conditions.length === 0 ? '' : ` where ${conditions.join(' and ')}`;
  if (isTable(config)) {
    const list = config.columns ? config.columns.map(quoteName).join(', ') : '*';
    return `select ${list} from ${quoteTable(tableNameOf(config, database))}${where}`;
  }
  const sql = unterminated(config.sql);
  const before = withOf(config, database);
  // As it is, a query is the server's to run in the best way; around it, its rows wait in a table.
  if (where === '' && before === '') return sql;
  return `${before}select * from ${enclosed(sql)} as fluxline_source${where}`;
};
