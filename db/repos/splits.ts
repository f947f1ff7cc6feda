import type { Knex } from 'knex';
import type { SplitCounts } from '../../core/metrics.js';
import type { WorkspaceScope } from '../../core/scope.js';
import { JobSplit } from '../models/tables.js';

export interface NewSplit {
  stage: string;
  split: number;
  /** JSON text of the range. */
  range: string;
}

export interface SplitKey {
  jobId: string;
  stage: string;
  split: number;
}

export interface StageTotals extends SplitCounts {
  stage: string;
  splits: number;
  done: number;
  started: number;
  attempts: number;
  startedAt: Date | null;
  finishedAt: Date | null;
}

/** Counts that only grow while a split is under way. */
const setProgress = `rows_read = :rowsRead, bytes_read = :bytesRead, rows_in = :rowsIn,
  rows_out = :rowsOut, rows_written = :rowsWritten, bytes_written = :bytesWritten`;

const setCounts = `${setProgress}, rows_filtered = :rowsFiltered, rows_coalesced = :rowsCoalesced,
  rows_failed = :rowsFailed, bytes_staged = :bytesStaged`;

/** Sums of splits, by the names of SplitCounts. */
export const sumColumns: readonly [name: keyof SplitCounts, sql: string][] = [
  ['rowsRead', 'coalesce(sum(rows_read), 0)'],
  ['bytesRead', 'coalesce(sum(bytes_read), 0)'],
  ['rowsIn', 'coalesce(sum(rows_in), 0)'],
  // One split that does not know is enough for nobody to know.
  [
    'rowsFiltered',
    'case when count(*) = count(rows_filtered) then coalesce(sum(rows_filtered), 0) end',
  ],
  ['rowsOut', 'coalesce(sum(rows_out), 0)'],
  ['rowsWritten', 'coalesce(sum(rows_written), 0)'],
  ['bytesWritten', 'coalesce(sum(bytes_written), 0)'],
  ['rowsCoalesced', 'coalesce(sum(rows_coalesced), 0)'],
  ['rowsFailed', 'coalesce(sum(rows_failed), 0)'],
  ['bytesStaged', 'coalesce(sum(bytes_staged), 0)'],
];

export const makeSplits = (db: Knex) => {
  const key = (scope: WorkspaceScope, { jobId, stage, split }: SplitKey) => ({
    workspace_id: scope.workspaceId,
    job_id: jobId,
    stage,
    split,
  });

  return {
    get: async (scope: WorkspaceScope, split: SplitKey): Promise<JobSplit | undefined> =>
      JobSplit.query(db).where(key(scope, split)).first(),

    /** A repeated plan finds its rows there and changes nothing. */
    add: async (
      scope: WorkspaceScope,
      jobId: string,
      splits: readonly NewSplit[],
    ): Promise<void> => {
      await db.raw(
        `insert into job_splits (workspace_id, job_id, stage, split, range)
         select ?, ?, * from unnest(?::text[], ?::integer[], ?::text[])
         on conflict do nothing`,
        [
          scope.workspaceId,
          jobId,
          splits.map(({ stage }) => stage),
          splits.map(({ split }) => split),
          splits.map(({ range }) => range),
        ],
      );
    },

    ofStage: async (scope: WorkspaceScope, jobId: string, stage: string): Promise<JobSplit[]> =>
      JobSplit.query(db)
        .where({ workspace_id: scope.workspaceId, job_id: jobId, stage })
        .orderBy('split'),

    /** How many rows queries have read of their sources, by node. */
    rowsOfSources: async (
      scope: WorkspaceScope,
      jobId: string,
      queries: readonly string[],
    ): Promise<ReadonlyMap<string, number>> => {
      const { rows } = await db.raw<{ rows: { node: string; rows: number }[] }>(
        `select key as node, value::bigint as rows
           from job_splits, json_each_text(output::json -> 'rowsRead')
          where workspace_id = ? and job_id = ? and stage = any(?::text[])`,
        [scope.workspaceId, jobId, [...queries]],
      );
      return new Map(rows.map(({ node, rows: read }) => [node, read]));
    },

    /** Before a stage starts over: its next splits are others. */
    removeStage: async (scope: WorkspaceScope, jobId: string, stage: string): Promise<void> => {
      await JobSplit.query(db)
        .delete()
        .where({ workspace_id: scope.workspaceId, job_id: jobId, stage });
    },

    /** The next ones to run, and how many are left with them. */
    pending: async (
      scope: WorkspaceScope,
      jobId: string,
      stage: string,
      limit: number,
    ): Promise<{ splits: number[]; left: number }> => {
      const { rows } = await db.raw<{ rows: { split: number; left: number }[] }>(
        `select split, count(*) over () as left from job_splits
          where workspace_id = ? and job_id = ? and stage = ? and status <> 'succeeded'
          order by split limit ?`,
        [scope.workspaceId, jobId, stage, limit],
      );
      return { splits: rows.map(({ split }) => split), left: rows[0]?.left ?? 0 };
    },

    start: async (scope: WorkspaceScope, split: SplitKey, attempt: number): Promise<void> => {
      await db.raw(
        `update job_splits set status = 'running', attempt = greatest(attempt, :attempt),
                started_at = coalesce(started_at, now())
          where workspace_id = :workspace_id and job_id = :job_id and stage = :stage
            and split = :split and status <> 'succeeded'`,
        { ...key(scope, split), attempt },
      );
    },

    /** Absolute counts of one attempt; a late writer of an older attempt changes nothing. */
    progress: async (
      scope: WorkspaceScope,
      split: SplitKey,
      attempt: number,
      counts: SplitCounts,
    ): Promise<void> => {
      await db.raw(
        `update job_splits set ${setProgress}
          where workspace_id = :workspace_id and job_id = :job_id and stage = :stage
            and split = :split and attempt = :attempt and status = 'running'`,
        { ...key(scope, split), attempt, ...counts },
      );
    },

    /** What of a split will not arrive, before the rest is committed elsewhere. */
    noteLoss: async (
      scope: WorkspaceScope,
      split: SplitKey,
      { rowsFiltered, rowsFailed }: Pick<SplitCounts, 'rowsFiltered' | 'rowsFailed'>,
    ): Promise<void> => {
      await db.raw(
        `update job_splits set rows_filtered = :rowsFiltered, rows_failed = :rowsFailed
          where workspace_id = :workspace_id and job_id = :job_id and stage = :stage
            and split = :split and status = 'running'`,
        { ...key(scope, split), rowsFiltered, rowsFailed },
      );
    },

    /**
     * What the destination committed. The first attempt that says so counts: false means that
     * another one had, and that its output is the one to go by.
     */
    succeed: async (
      scope: WorkspaceScope,
      split: SplitKey,
      counts: SplitCounts,
      output: string | null,
    ): Promise<boolean> => {
      const { rows } = await db.raw<{ rows: unknown[] }>(
        `update job_splits set status = 'succeeded', finished_at = now(),
                started_at = coalesce(started_at, now()), output = :output, ${setCounts}
          where workspace_id = :workspace_id and job_id = :job_id and stage = :stage
            and split = :split and status <> 'succeeded'
         returning 1`,
        { ...key(scope, split), output, ...counts },
      );
      return rows.length > 0;
    },

    totals: async (scope: WorkspaceScope, jobId: string): Promise<StageTotals[]> => {
      const sums = sumColumns.map(([name, sql]) => `(${sql})::bigint as "${name}"`).join(', ');
      const { rows } = await db.raw<{ rows: StageTotals[] }>(
        `select stage, count(*) as splits,
                count(*) filter (where status = 'succeeded') as done,
                count(*) filter (where status <> 'pending') as started,
                max(attempt) as attempts, ${sums},
                min(started_at) as "startedAt", max(finished_at) as "finishedAt"
           from job_splits where workspace_id = ? and job_id = ? group by stage order by stage`,
        [scope.workspaceId, jobId],
      );
      return rows;
    },
  };
};
