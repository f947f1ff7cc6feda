import type { Bounds, Pushed } from '../connector.js';
import { quoteName, quoteTable, quoteText } from './quote.js';
import type { TableName } from './quote.js';
import { isTable } from '../tableNodes.js';
import type { SourceConfig, TableSource, Window } from '../tableNodes.js';

export const tableNameOf = ({ schema, table }: TableSource, defaultSchema: string): TableName => ({
  schema: schema ?? defaultSchema,
  table,
});

/** Rows [from, to) in the order of the key; its columns are never null. Values are text. */
export interface KeyRange {
  key: readonly string[];
  from?: readonly string[];
  to?: readonly string[];
}

/** Rows of one relation that has no parts of its own, in pages [from, to). */
export interface PageRange extends TableName {
  from: number;
  to?: number;
}

export interface Selection {
  config: SourceConfig;
  bounds?: Bounds;
  pushed?: Pushed;
}

export interface Selected {
  /** By name; absent: whatever columns there are. */
  columns?: readonly string[];
  pages?: PageRange;
  keys?: KeyRange;
  /** Read a sample of so many per cent of the pages. */
  samplePercent?: number;
}

/** A statement of a user's own within ours: a comment at its end must not swallow what follows. */
const enclosed = (sql: string): string => `(\n${sql}\n)`;

/** A query may be written with the semicolon that would end it. */
const unterminated = (sql: string): string => sql.replace(/[\s;]+$/, '');

/**
 * The literals have no type, and take that of what they are compared with. A cast would be to a
 * type with its length or precision, and cut them off in silence.
 */
const windowConditions = ({ column, from, to }: Window): string[] => [
  `${quoteName(column)} >= ${quoteText(from)}`,
  `${quoteName(column)} < ${quoteText(to)}`,
];

const boundConditions = ({ column, above, upTo }: Bounds): string[] => [
  ...(above === undefined ? [] : [`${quoteName(column)} > ${quoteText(above)}`]),
  ...(upTo === undefined
    ? []
    : [upTo === null ? 'false' : `${quoteName(column)} <= ${quoteText(upTo)}`]),
];

const keyConditions = ({ key, from, to }: KeyRange): string[] => {
  const names = `(${key.map(quoteName).join(', ')})`;
  const values = (bound: readonly string[]): string => `(${bound.map(quoteText).join(', ')})`;
  return [
    ...(from === undefined ? [] : [`${names} >= ${values(from)}`]),
    ...(to === undefined ? [] : [`${names} < ${values(to)}`]),
  ];
};

const pageConditions = ({ from, to }: PageRange): string[] => [
  `ctid >= '(${from},0)'`,
  ...(to === undefined ? [] : [`ctid < '(${to},0)'`]),
];

const listOf = ({ config, pushed }: Selection, { columns }: Selected): string => {
  if (pushed) {
    return pushed.columns
      .map(({ name, expression }) => `${enclosed(expression)} as ${quoteName(name)}`)
      .join(', ');
  }
  const names = columns ?? (isTable(config) ? config.columns : undefined);
  return names ? names.map(quoteName).join(', ') : '*';
};

const fromOf = (config: SourceConfig, selected: Selected, defaultSchema: string): string => {
  if (!isTable(config)) return `${enclosed(unterminated(config.sql))} as fluxline_source`;
  const { pages, samplePercent } = selected;
  const name = tableNameOf(config, defaultSchema);
  // Conditions may name the table, and mean each of its parts.
  const relation = pages
    ? `only ${quoteTable(pages)} as ${quoteName(config.table)}`
    : quoteTable(name);
  return samplePercent === undefined
    ? relation
    : `${relation} tablesample system (${samplePercent})`;
};

const withOf = (config: SourceConfig, defaultSchema: string): string => {
  if (isTable(config) || config.with === undefined || config.with.length === 0) return '';
  const entries = config.with.map(
    (entry) =>
      `${quoteName(entry.name)} as ${enclosed(selectSql({ config: entry.config }, {}, defaultSchema))}`,
  );
  return `with ${entries.join(', ')} `;
};

/** Whether rows are left out, so that sizes of tables say little. */
export const isConditional = ({ config, bounds, pushed }: Selection): boolean =>
  (isTable(config) && (config.where !== undefined || config.window !== undefined)) ||
  bounds !== undefined ||
  (pushed?.where.length ?? 0) > 0;

/** The rows of a source, or of a part of it, as a query that can stand within another one. */
export const selectSql = (
  selection: Selection,
  selected: Selected,
  defaultSchema: string,
): string => {
  const { config, bounds, pushed } = selection;
  const conditions = [
    ...(selected.pages ? pageConditions(selected.pages) : []),
    ...(selected.keys ? keyConditions(selected.keys) : []),
    ...(isTable(config) && config.where !== undefined ? [enclosed(config.where)] : []),
    ...(isTable(config) && config.window ? windowConditions(config.window) : []),
    ...(bounds ? boundConditions(bounds) : []),
    ...(pushed?.where ?? []).map(enclosed),
  ];
  const where = conditions.length === 0 ? '' : ` where ${conditions.join(' and ')}`;
  const from = fromOf(config, selected, defaultSchema);
  return `${withOf(config, defaultSchema)}select ${listOf(selection, selected)} from ${from}${where}`;
};
