import type { Knex } from 'knex';
import type { Command, JobType } from '../../core/jobs.js';
import type { Job } from '../models/tables.js';

export interface StartableJob {
  id: string;
  workspaceId: string;
  type: JobType;
  pipelineId: string | null;
  pipelineName: string | null;
  trigger: string;
}

export interface PendingCommand {
  jobId: string;
  workspaceId: string;
  type: Job['type'];
  command: Command;
}

export interface SilentJob {
  id: string;
  workspaceId: string;
  type: string;
}

const batch = 100;

/** What the dispatcher finds to do. Every claim is one statement, so that two never do the same. */
export const makeDispatch = (db: Knex) => ({
  /** A claim whose holder died is free again after `reclaimAfterMs`. */
  claimStarts: async (reclaimAfterMs: number): Promise<StartableJob[]> => {
    const { rows } = await db.raw<{ rows: StartableJob[] }>(
      `update jobs set start_claimed_at = now()
        where id in (
          select id from jobs
           where status = 'queued' and admitted_at is not null and workflow_started_at is null
             and (start_claimed_at is null
                  or start_claimed_at < now() - ? * interval '1 millisecond')
           order by admitted_at limit ? for update skip locked)
       returning id, workspace_id as "workspaceId", type, pipeline_id as "pipelineId",
                 pipeline_name as "pipelineName", trigger`,
      [reclaimAfterMs, batch],
    );
    return rows;
  },

  started: async (id: string): Promise<void> => {
    await db.raw(
      `update jobs set workflow_started_at = coalesce(workflow_started_at, now()), seen_at = now()
        where id = ? and workflow_started_at is null`,
      [id],
    );
  },

  /** The start did not reach Temporal: the claim is given back at once. */
  releaseStart: async (id: string): Promise<void> => {
    await db.raw(
      `update jobs set start_claimed_at = null where id = ? and workflow_started_at is null`,
      [id],
    );
  },

  claimCommands: async (resendAfterMs: number): Promise<PendingCommand[]> => {
    const { rows } = await db.raw<{ rows: PendingCommand[] }>(
      `update job_commands c set sent_at = now()
         from jobs j
        where (c.workspace_id, c.job_id, c.command) in (
          select workspace_id, job_id, command from job_commands
           where acknowledged_at is null
             and (sent_at is null or sent_at < now() - ? * interval '1 millisecond')
           order by requested_at limit ? for update skip locked)
          and j.workspace_id = c.workspace_id and j.id = c.job_id
       returning c.job_id as "jobId", c.workspace_id as "workspaceId", c.command, j.type`,
      [resendAfterMs, batch],
    );
    return rows;
  },

  unsend: async ({ workspaceId, jobId, command }: PendingCommand): Promise<void> => {
    await db.raw(
      `update job_commands set sent_at = null
        where workspace_id = ? and job_id = ? and command = ? and acknowledged_at is null`,
      [workspaceId, jobId, command],
    );
  },

  /** Rows nobody has heard of for a while; asking counts as hearing, so each is asked once. */
  claimSilent: async (silentForMs: number): Promise<SilentJob[]> => {
    const { rows } = await db.raw<{ rows: SilentJob[] }>(
      `update jobs set seen_at = now()
        where id in (
          select id from jobs
           where status in ('queued', 'running') and workflow_started_at is not null
             and seen_at < now() - ? * interval '1 millisecond'
           order by seen_at limit ? for update skip locked)
       returning id, workspace_id as "workspaceId", type`,
      [silentForMs, batch],
    );
    return rows;
  },
});
