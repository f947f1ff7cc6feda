import { RunFailure } from '../../core/failures.js';
import type { Column } from '../connector.js';
import type { PostgresConfig } from './manifest.js';
import type { TableConfig } from '../tableNodes.js';
import type { TableName } from './quote.js';

export const tableNameOf = (config: PostgresConfig, node: TableConfig): TableName => ({
  schema: node.schema ?? config.schema ?? 'public',
  table: node.table,
});

/** Whether rows gather in a table of their own until all of them are there. */
export const gathers = ({ mode, atomic }: TableConfig): boolean =>
  mode === 'replace' || (mode !== 'upsert' && mode !== 'delete' && atomic === true);

const usesKeys = ({ mode }: TableConfig): boolean => mode === 'upsert' || mode === 'delete';

/** The columns that tell rows apart; none where the mode does not look at rows that are there. */
export const keysOf = (node: TableConfig): readonly string[] =>
  usesKeys(node) ? (node.keys ?? []) : [];

export const comparesContent = ({ verify }: TableConfig): boolean => verify === 'content';

export const invalid = (message: string): RunFailure =>
  new RunFailure({ code: 'config_invalid', class: 'config', message });

export const drifted = (message: string): RunFailure =>
  new RunFailure({ code: 'schema_drift', class: 'schema', message });

/** PostgreSQL cuts longer names off without saying so, and then does not find them. */
const longestName = 63;

const isTooLong = (name: string): boolean => Buffer.byteLength(name) > longestName;

/** Refuses what no table can make work. */
export const checkConfig = (
  node: TableConfig,
  name: TableName,
  columns: readonly Column[],
): void => {
  const names = new Set(columns.map((column) => column.name));
  if (columns.length === 0) throw invalid('There is no column to load.');
  if (names.size < columns.length) throw invalid('Two columns have the same name: rename one.');
  const long = [name.schema, name.table, ...names].find(isTooLong);
  if (long !== undefined) {
    throw invalid(`PostgreSQL's names have at most ${longestName} bytes; ${long} has more.`);
  }
  if (usesKeys(node) && !node.keys?.length) {
    throw invalid(`Mode ${node.mode ?? ''} needs keys: the columns that tell rows apart.`);
  }
  const ordered = (node.orderBy ?? []).map(({ column }) => column);
  const unknown = [...keysOf(node), ...ordered].filter((column) => !names.has(column));
  if (unknown.length > 0) {
    throw invalid(`keys and orderBy name columns that do not arrive: ${unknown.join(', ')}.`);
  }
};
