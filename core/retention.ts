/**
 * How long each table keeps its rows: the one list. The retention workflow deletes what is older,
 * in batches; a table that is not here keeps its rows for as long as their owner exists.
 */
export interface RetentionRule {
  table: string;
  /** The column whose age counts. */
  column: string;
  days: number;
  why: string;
  /** Names the change that brought the rule: nights that began before it go on without. */
  since?: string;
}

const liveTables = 'purge-live-tables';

export const retentionRules = [
  {
    table: 'idempotency_keys',
    column: 'created_at',
    days: 1,
    why: 'a key is honoured for 24 hours',
  },
  {
    table: 'live_inputs',
    column: 'created_at',
    days: 1,
    why: 'a question nobody waits for',
    since: liveTables,
  },
  {
    table: 'live_results',
    column: 'created_at',
    days: 1,
    why: 'an answer nobody waits for',
    since: liveTables,
  },
  { table: 'workers', column: 'seen_at', days: 1, why: 'a worker that is gone' },
  { table: 'events', column: 'created_at', days: 7, why: 'fanned out long before' },
  { table: 'job_logs', column: 'ts', days: 30, why: 'logs outlive the investigation, not the run' },
  {
    table: 'jobs',
    column: 'finished_at',
    days: 90,
    why: 'run history, with its splits and commands',
  },
  { table: 'audit_log', column: 'created_at', days: 365, why: 'who did what, for a year' },
] as const satisfies readonly RetentionRule[];

export type RetainedTable = (typeof retentionRules)[number]['table'];

export const retentionBatch = 1_000;
