import type { Knex } from 'knex';
import type { EventName } from '../../core/events.js';
import { AppError, notFound } from '../../core/errors.js';
import { isRetryable } from '../../core/failures.js';
import type { Failure } from '../../core/failures.js';
import type { JobType, RunTrigger } from '../../core/jobs.js';
import type { RunMetrics } from '../../core/metrics.js';
import type { Scope, WorkspaceScope } from '../../core/scope.js';
import { isTerminal, priorityRank } from '../../core/status.js';
import type { Priority, TerminalStatus } from '../../core/status.js';
import { admit } from '../admission.js';
import { lockDecision } from '../locks.js';
import { Job } from '../models/tables.js';
import { scoped } from '../scoped.js';
import { makeEvents } from './events.js';

export interface NewJob {
  type: JobType;
  trigger: RunTrigger;
  priority: Priority;
  pipeline: { id: string; name: string; version: number };
  environmentId: string | null;
  /** JSON text of the overrides. */
  variables: string;
  requestedBy: string;
  requestId: string;
  retryOf?: { id: string; rootJobId: string };
  undoOf?: string;
}

export interface Outcome {
  status: TerminalStatus;
  metrics: RunMetrics | null;
  failure: Failure | null;
  /** How often the part that failed was tried. */
  attempts: number;
}

const endEvents: Readonly<Record<TerminalStatus, EventName>> = {
  succeeded: 'job.succeeded',
  failed: 'job.failed',
  canceled: 'job.cancelled',
};

const errorText = (failure: Failure, attempts: number): string =>
  JSON.stringify({ ...failure, retryable: isRetryable(failure), attempts });

/** State changes of jobs. Each runs in a transaction of the caller's and adds whom it admitted. */
export const makeJobs = (db: Knex, touched: string[]) => {
  const events = makeEvents(db);

  const recordEvent = (job: Job, name: EventName) =>
    events.record({ workspaceId: job.workspace_id }, name, {
      jobId: job.id,
      type: job.type,
      pipelineId: job.pipeline_id,
      status: job.status,
    });

  const admitInto = async (workspaceId: string): Promise<void> => {
    touched.push(...(await admit(db, workspaceId)));
  };

  const get = async (scope: WorkspaceScope, id: string): Promise<Job> => {
    const job = await Job.query(db).findOne({ workspace_id: scope.workspaceId, id });
    if (!job) throw notFound();
    return job;
  };

  return {
    get,

    find: async (scope: Scope, id: string): Promise<Job | undefined> =>
      scoped(Job.query(db).findOne({ id }), scope, 'jobs'),

    /** Writes the row and admits it, or whoever is before it, if the workspace has a slot. */
    enqueue: async (scope: WorkspaceScope, job: NewJob): Promise<Job> => {
      await lockDecision(db, 'admission', scope.workspaceId);
      const { rows } = await db.raw<{ rows: Job[] }>(
        `with fresh as (select uuidv7() as id)
         insert into jobs (id, workspace_id, type, priority, trigger, pipeline_id, pipeline_name,
           pipeline_version, environment_id, variables, root_job_id, retry_of, undo_of, requested_by, request_id)
         select id, :workspaceId, :type, :priority, :trigger, :pipelineId, :pipelineName,
           :pipelineVersion, :environmentId, :variables, coalesce(:rootJobId, id), :retryOf, :undoOf,
           :requestedBy, :requestId
           from fresh
         returning *`,
        {
          workspaceId: scope.workspaceId,
          type: job.type,
          priority: priorityRank[job.priority],
          trigger: job.trigger,
          pipelineId: job.pipeline.id,
          pipelineName: job.pipeline.name,
          pipelineVersion: job.pipeline.version,
          environmentId: job.environmentId,
          variables: job.variables,
          rootJobId: job.retryOf?.rootJobId ?? null,
          retryOf: job.retryOf?.id ?? null,
          undoOf: job.undoOf ?? null,
          requestedBy: job.requestedBy,
          requestId: job.requestId,
        },
      );
      const added = rows[0];
      if (!added) throw new Error('insert returned no row');
      await recordEvent(added, 'job.queued');
      await admitInto(scope.workspaceId);
      return added;
    },

    /**
     * Queued work ends here and now; running work gets a command that the dispatcher delivers.
     * Asking again while a request is pending is the same request.
     */
    requestCancel: async (scope: WorkspaceScope, id: string): Promise<Job> => {
      await lockDecision(db, 'admission', scope.workspaceId);
      const { rows } = await db.raw<{ rows: Job[] }>(
        `update jobs set
           cancel_requested_at = coalesce(cancel_requested_at, now()),
           status = case status when 'queued' then 'canceled' else status end,
           finished_at = case status when 'queued' then now() else null end
         where workspace_id = ? and id = ? and status in ('queued', 'running')
         returning *`,
        [scope.workspaceId, id],
      );
      const job = rows[0];
      if (!job) {
        const { status } = await get(scope, id);
        throw new AppError('run_finished', `The run has already ended: it ${status}.`, { status });
      }
      if (job.status === 'canceled') {
        await recordEvent(job, 'job.cancelled');
        await admitInto(scope.workspaceId);
      } else {
        await db.raw(
          `insert into job_commands (workspace_id, job_id, command) values (?, ?, 'cancel')
           on conflict do nothing`,
          [scope.workspaceId, id],
        );
      }
      touched.push(id);
      return job;
    },

    /**
     * queued → running, unless someone cancelled in between. A repeated call of the same workflow
     * (its first answer was lost) finds the row running and is right to go on.
     */
    begin: async (id: string): Promise<Job | undefined> => {
      const { rows } = await db.raw<{ rows: Job[] }>(
        `update jobs set status = 'running', started_at = now(), seen_at = now(),
                workflow_started_at = coalesce(workflow_started_at, now())
          where id = ? and status = 'queued' and cancel_requested_at is null and admitted_at is not null
         returning *`,
        [id],
      );
      if (rows[0]) {
        await recordEvent(rows[0], 'job.started');
        return rows[0];
      }
      const job = await Job.query(db).findById(id);
      return job && !isTerminal(job.status) ? job : undefined;
    },

    /** What the run executes, and what of it an earlier attempt of the chain already delivered. */
    savePlan: async (
      scope: WorkspaceScope,
      id: string,
      plan: string,
      warnings: readonly string[],
    ): Promise<void> => {
      await db.raw(
        `update jobs set plan = ?, warnings = ?, seen_at = now() where workspace_id = ? and id = ?`,
        [plan, JSON.stringify(warnings), scope.workspaceId, id],
      );
    },

    /**
     * The terminal write: state, counts, event and the successor's admission in one transaction.
     * False when the row had already ended; then nothing is written.
     */
    finish: async (scope: WorkspaceScope, id: string, outcome: Outcome): Promise<boolean> => {
      await lockDecision(db, 'admission', scope.workspaceId);
      const { rows } = await db.raw<{ rows: Job[] }>(
        `update jobs set status = :status, finished_at = now(), seen_at = now(),
                metrics = coalesce(:metrics, metrics), error = :error
          where workspace_id = :workspaceId and id = :id and status in ('queued', 'running')
         returning *`,
        {
          workspaceId: scope.workspaceId,
          id,
          status: outcome.status,
          metrics: outcome.metrics && JSON.stringify(outcome.metrics),
          error: outcome.failure && errorText(outcome.failure, outcome.attempts),
        },
      );
      const job = rows[0];
      if (!job) return false;
      await db.raw(
        `update job_commands set acknowledged_at = now()
          where workspace_id = ? and job_id = ? and acknowledged_at is null`,
        [scope.workspaceId, id],
      );
      await recordEvent(job, endEvents[outcome.status]);
      await admitInto(scope.workspaceId);
      return true;
    },

    /** The latest run of the same pipeline, if it ended early and its rows are still there. */
    partialPredecessor: async (scope: WorkspaceScope, job: Job): Promise<string | undefined> => {
      const { rows } = await db.raw<{ rows: { id: string; partial: boolean }[] }>(
        `select id, status in ('failed', 'canceled') and undone_at is null and root_job_id <> :root
                  and coalesce((metrics::json ->> 'rowsWritten')::bigint, 0) > 0 as partial
           from jobs
          where workspace_id = :workspaceId and pipeline_id = :pipelineId and type = :type and id < :id
          order by id desc limit 1`,
        {
          workspaceId: scope.workspaceId,
          pipelineId: job.pipeline_id,
          type: job.type,
          id: job.id,
          root: job.root_job_id,
        },
      );
      return rows[0]?.partial ? rows[0].id : undefined;
    },

    /** What an undo did; from now on nothing of the chain counts as left behind. */
    saveUndo: async (scope: WorkspaceScope, undo: Job, result: string): Promise<void> => {
      await db.raw(`update jobs set result = ? where workspace_id = ? and id = ?`, [
        result,
        scope.workspaceId,
        undo.id,
      ]);
      await db.raw(
        `update jobs set undone_at = now()
          where workspace_id = ? and root_job_id = ? and undone_at is null`,
        [scope.workspaceId, undo.undo_of],
      );
    },

    /** All jobs of a chain of retries, oldest first, and undos of it; locked against new ones. */
    chain: async (scope: WorkspaceScope, rootJobId: string): Promise<Job[]> => {
      await lockDecision(db, 'admission', scope.workspaceId);
      const { rows } = await db.raw<{ rows: Job[] }>(
        `select * from jobs where workspace_id = :workspaceId
            and (root_job_id = :rootJobId or undo_of = :rootJobId) order by id`,
        { workspaceId: scope.workspaceId, rootJobId },
      );
      return rows;
    },
  };
};
