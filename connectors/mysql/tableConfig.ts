import { RunFailure } from '../../core/failures.js';
import type { Column } from '../connector.js';
import type { MysqlConfig } from './manifest.js';
import type { TableConfig } from '../tableNodes.js';
import type { TableName } from './quote.js';
import { columnOf } from './target.js';
import type { Target } from './target.js';

export const tableNameOf = (config: MysqlConfig, node: TableConfig): TableName => ({
  schema: node.schema ?? config.database,
  table: node.table,
});

const usesKeys = ({ mode }: TableConfig): boolean => mode === 'upsert' || mode === 'delete';

/**
 * Whether rows gather in a table of their own until all of them are there. The server does not say
 * which transaction a row came with: only where the table has a column for that could an append be
 * taken back.
 */
export const gathers = (node: TableConfig, target: Target | undefined): boolean =>
  !usesKeys(node) && (node.mode === 'replace' || node.atomic === true || !isTraced(target));

const isTraced = (target: Target | undefined): boolean =>
  target !== undefined && columnOf(target, traceColumn) !== undefined;

/** Which split a row came with, in tables that are created to append to; `select *` leaves it out. */
export const traceColumn = '_fluxline_commit';

/** The columns that tell rows apart; none where the mode does not look at rows that are there. */
export const keysOf = (node: TableConfig): readonly string[] =>
  usesKeys(node) ? (node.keys ?? []) : [];

export const invalid = (message: string): RunFailure =>
  new RunFailure({ code: 'config_invalid', class: 'config', message });

export const drifted = (message: string): RunFailure =>
  new RunFailure({ code: 'schema_drift', class: 'schema', message });

const longestName = 64;

/** Refuses what no table can make work. */
export const checkConfig = (
  node: TableConfig,
  name: TableName,
  columns: readonly Column[],
): void => {
  const names = new Set(columns.map((column) => column.name));
  if (node.verify === 'content') {
    throw invalid('A table here can be verified by counts only: set verify to counts.');
  }
  if (columns.length === 0) throw invalid('There is no column to load.');
  const folded = new Set([...names].map((column) => column.toLowerCase()));
  if (folded.size < columns.length) {
    throw invalid('Two columns have the same name, case aside: rename one.');
  }
  const long = [name.schema, name.table, ...names].find((text) => text.length > longestName);
  if (long !== undefined) throw invalid(`Names have at most ${longestName} characters: ${long}.`);
  const padded = [name.table, ...names].find((text) => text.endsWith(' '));
  if (padded !== undefined) throw invalid(`A name may not end with a blank: "${padded}".`);
  if (usesKeys(node) && !node.keys?.length) {
    throw invalid(`Mode ${node.mode ?? ''} needs keys: the columns that tell rows apart.`);
  }
  const ordered = (node.orderBy ?? []).map(({ column }) => column);
  const unknown = [...keysOf(node), ...ordered].filter((column) => !names.has(column));
  if (unknown.length > 0) {
    throw invalid(`keys and orderBy name columns that do not arrive: ${unknown.join(', ')}.`);
  }
};
