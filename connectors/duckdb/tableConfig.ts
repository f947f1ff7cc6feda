import { RunFailure } from '../../core/failures.js';
import type { Column } from '../connector.js';
import type { DuckdbConfig } from './manifest.js';
import { folded } from './quote.js';
import type { TableConfig } from '../tableNodes.js';
import type { TableName } from './quote.js';

export const tableNameOf = (config: DuckdbConfig, node: TableConfig): TableName => ({
  schema: node.schema ?? config.schema ?? 'main',
  table: node.table,
});

const usesKeys = ({ mode }: TableConfig): boolean => mode === 'upsert' || mode === 'delete';

/** The columns that tell rows apart; none where the mode does not look at rows that are there. */
export const keysOf = (node: TableConfig): readonly string[] =>
  usesKeys(node) ? (node.keys ?? []) : [];

/**
 * Nothing here says which rows a run has added: so they gather in a table of their own, and go into
 * the table all at once. To delete is harmless to repeat, and done at once.
 */
export const gathers = ({ mode }: TableConfig): boolean => mode !== 'delete';

export const invalid = (message: string): RunFailure =>
  new RunFailure({ code: 'config_invalid', class: 'config', message });

export const drifted = (message: string): RunFailure =>
  new RunFailure({ code: 'schema_drift', class: 'schema', message });

/** Columns of ours stand beside those that are loaded. */
const ownPrefix = '_fluxline_';

/** Refuses what no table can make work. */
export const checkConfig = (node: TableConfig, columns: readonly Column[]): void => {
  if (node.verify === 'content') {
    throw invalid('A table here can be verified by counts only: set verify to counts.');
  }
  if (columns.length === 0) throw invalid('There is no column to load.');
  const names = new Set(columns.map(({ name }) => folded(name)));
  if (names.size < columns.length) {
    throw invalid('Two columns have the same name, case aside: rename one.');
  }
  const own = columns.find(({ name }) => folded(name).startsWith(ownPrefix));
  if (own) throw invalid(`A column cannot be called ${own.name}: rename it.`);
  if (usesKeys(node) && !node.keys?.length) {
    throw invalid(`Mode ${node.mode ?? ''} needs keys: the columns that tell rows apart.`);
  }
  const ordered = (node.orderBy ?? []).map(({ column }) => column);
  const unknown = [...keysOf(node), ...ordered].filter((column) => !names.has(folded(column)));
  if (unknown.length > 0) {
    throw invalid(`keys and orderBy name columns that do not arrive: ${unknown.join(', ')}.`);
  }
};
