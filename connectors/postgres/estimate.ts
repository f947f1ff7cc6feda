import type pg from 'pg';
import type { Relation } from './relation.js';
import { isConditional, selectSql } from './sourceQuery.js';
import { isTable } from '../tableNodes.js';
import type { Selection } from './sourceQuery.js';
import type { SourceConfig } from '../tableNodes.js';

interface Plan {
  'Plan Rows'?: number;
  'Plan Width'?: number;
}

/** What the planner expects a query to give. */
const expected = async (
  client: pg.Client,
  sql: string,
): Promise<{ rows: number; bytes: number }> => {
  const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
    `explain (format json) ${sql}`,
  );
  const plan = rows[0]?.['QUERY PLAN'][0].Plan ?? {};
  const count = plan['Plan Rows'] ?? 0;
  return { rows: count, bytes: count * (plan['Plan Width'] ?? 0) };
};

export const tableBytes = ({ leaves }: Relation): number =>
  leaves.reduce((sum, { bytes }) => sum + bytes, 0);

const unconditional = (config: SourceConfig): SourceConfig =>
  isTable(config)
    ? { table: config.table, ...(config.schema === undefined ? {} : { schema: config.schema }) }
    : config;

/**
 * About how much will be read. The size of a table is known; how much of it conditions leave is
 * the planner's guess.
 */
export const estimate = async (
  client: pg.Client,
  selection: Selection,
  relation: Relation | undefined,
  defaultSchema: string,
): Promise<{ rows: number; bytes: number }> => {
  const selected = await expected(client, selectSql(selection, {}, defaultSchema));
  if (!relation?.local) return selected;
  const bytes = tableBytes(relation);
  if (bytes === 0) return { rows: 0, bytes: 0 };
  if (!isConditional(selection)) return { rows: selected.rows, bytes };
  const whole = { config: unconditional(selection.config) };
  const all = await expected(client, selectSql(whole, {}, defaultSchema));
  const share = Math.min(1, selected.rows / Math.max(1, all.rows));
  return { rows: selected.rows, bytes: Math.ceil(bytes * share) };
};
