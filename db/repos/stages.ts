import type { Knex } from 'knex';
import type { WorkspaceScope } from '../../core/scope.js';
import { JobStage } from '../models/tables.js';

/** How far each stage of a run is: its generation, the snapshot it reads, whether it is published. */
export const makeStages = (db: Knex) => {
  const key = (scope: WorkspaceScope, jobId: string, stage: string) => ({
    workspace_id: scope.workspaceId,
    job_id: jobId,
    stage,
  });

  return {
    /** A repeated plan finds its rows there and changes nothing. */
    add: async (
      scope: WorkspaceScope,
      jobId: string,
      stages: readonly { stage: string; generation: number }[],
    ): Promise<void> => {
      await db.raw(
        `insert into job_stages (workspace_id, job_id, stage, generation)
         select ?, ?, * from unnest(?::text[], ?::integer[]) on conflict do nothing`,
        [
          scope.workspaceId,
          jobId,
          stages.map(({ stage }) => stage),
          stages.map(({ generation }) => generation),
        ],
      );
    },

    ofJob: async (scope: WorkspaceScope, jobId: string): Promise<JobStage[]> =>
      JobStage.query(db).where({ workspace_id: scope.workspaceId, job_id: jobId }),

    find: async (
      scope: WorkspaceScope,
      jobId: string,
      stage: string,
    ): Promise<JobStage | undefined> => JobStage.query(db).findOne(key(scope, jobId, stage)),

    /** Until the end of the transaction nobody else decides about the stage. */
    lock: async (scope: WorkspaceScope, jobId: string, stage: string): Promise<void> => {
      await db.raw(
        'select 1 from job_stages where workspace_id = ? and job_id = ? and stage = ? for update',
        [scope.workspaceId, jobId, stage],
      );
    },

    /** From here on its splits are known. */
    opened: async (scope: WorkspaceScope, jobId: string, stage: string): Promise<void> => {
      await db.raw(
        `update job_stages set opened_at = coalesce(opened_at, now())
          where workspace_id = ? and job_id = ? and stage = ?`,
        [scope.workspaceId, jobId, stage],
      );
    },

    /** False when the stage has gone on to another generation: nobody wants this snapshot. */
    saveSnapshot: async (
      scope: WorkspaceScope,
      jobId: string,
      stage: string,
      generation: number,
      snapshot: string,
    ): Promise<boolean> => {
      const { rows } = await db.raw<{ rows: unknown[] }>(
        `update job_stages set snapshot = ?, snapshot_generation = generation
          where workspace_id = ? and job_id = ? and stage = ? and generation = ? returning 1`,
        [snapshot, scope.workspaceId, jobId, stage, generation],
      );
      return rows.length > 0;
    },

    /** The next generation; asked for again for the same one it is not counted twice. */
    startOver: async (
      scope: WorkspaceScope,
      jobId: string,
      stage: string,
      from: number,
    ): Promise<void> => {
      await db.raw(
        `update job_stages set generation = generation + 1, opened_at = null, snapshot = null,
                snapshot_generation = null
          where workspace_id = ? and job_id = ? and stage = ? and generation = ?`,
        [scope.workspaceId, jobId, stage, from],
      );
    },

    published: async (scope: WorkspaceScope, jobId: string, stage: string): Promise<void> => {
      await db.raw(
        `update job_stages set published_at = coalesce(published_at, now())
          where workspace_id = ? and job_id = ? and stage = ?`,
        [scope.workspaceId, jobId, stage],
      );
    },
  };
};
