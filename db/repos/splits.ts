import type { Knex } from 'knex';
import type { WorkspaceScope } from '../../core/scope.js';
import { JobSplit } from '../models/tables.js';

export interface NewSplit {
  stage: string;
  split: number;
  /** JSON text of the range. */
  range: string;
}

export interface SplitCounts {
  rowsRead: number;
  rowsWritten: number;
  bytesRead: number;
  bytesWritten: number;
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

export const makeSplits = (db: Knex) => {
  const one = async (
    scope: WorkspaceScope,
    jobId: string,
    stage: string,
    split: number,
  ): Promise<JobSplit | undefined> =>
    JobSplit.query(db)
      .where({ workspace_id: scope.workspaceId, job_id: jobId, stage, split })
      .first();

  return {
    get: one,

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

    start: async (
      scope: WorkspaceScope,
      jobId: string,
      stage: string,
      split: number,
      attempt: number,
    ): Promise<void> => {
      await db.raw(
        `update job_splits set status = 'running', attempt = greatest(attempt, ?),
                started_at = coalesce(started_at, now())
          where workspace_id = ? and job_id = ? and stage = ? and split = ? and status <> 'succeeded'`,
        [attempt, scope.workspaceId, jobId, stage, split],
      );
    },

    /** Absolute counts of one attempt; a late writer of an older attempt changes nothing. */
    progress: async (
      scope: WorkspaceScope,
      jobId: string,
      stage: string,
      split: number,
      attempt: number,
      counts: SplitCounts,
    ): Promise<void> => {
      await db.raw(
        `update job_splits set rows_read = ?, rows_written = ?, bytes_read = ?, bytes_written = ?
          where workspace_id = ? and job_id = ? and stage = ? and split = ?
            and attempt = ? and status = 'running'`,
        [
          ...[counts.rowsRead, counts.rowsWritten, counts.bytesRead, counts.bytesWritten],
          ...[scope.workspaceId, jobId, stage, split, attempt],
        ],
      );
    },

    /** What the destination committed; repeating it writes the same. */
    succeed: async (
      scope: WorkspaceScope,
      jobId: string,
      stage: string,
      split: number,
      counts: SplitCounts,
    ): Promise<void> => {
      await db.raw(
        `update job_splits set status = 'succeeded', finished_at = coalesce(finished_at, now()),
                started_at = coalesce(started_at, now()),
                rows_read = ?, rows_written = ?, bytes_read = ?, bytes_written = ?
          where workspace_id = ? and job_id = ? and stage = ? and split = ?`,
        [
          ...[counts.rowsRead, counts.rowsWritten, counts.bytesRead, counts.bytesWritten],
          ...[scope.workspaceId, jobId, stage, split],
        ],
      );
    },

    totals: async (scope: WorkspaceScope, jobId: string): Promise<StageTotals[]> => {
      const { rows } = await db.raw<{ rows: StageTotals[] }>(
        `select stage, count(*) as splits,
                count(*) filter (where status = 'succeeded') as done,
                count(*) filter (where status <> 'pending') as started,
                max(attempt) as attempts,
                sum(rows_read)::bigint as "rowsRead", sum(rows_written)::bigint as "rowsWritten",
                sum(bytes_read)::bigint as "bytesRead", sum(bytes_written)::bigint as "bytesWritten",
                min(started_at) as "startedAt", max(finished_at) as "finishedAt"
           from job_splits where workspace_id = ? and job_id = ? group by stage order by stage`,
        [scope.workspaceId, jobId],
      );
      return rows;
    },
  };
};
