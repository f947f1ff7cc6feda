import type { Knex } from 'knex';
import { notFound } from '../../core/errors.js';
import { runTypes } from '../../core/jobs.js';
import type { WorkspaceScope } from '../../core/scope.js';
import type { JobStatus } from '../../core/status.js';
import { keysetPage } from '../keyset.js';
import type { Page, PageRequest } from '../keyset.js';
import { Job } from '../models/tables.js';
import type { SplitCounts } from './splits.js';

export interface RunFilter {
  pipelineId?: string;
  status?: JobStatus;
  /** On the queued time: from inclusive, to exclusive. */
  from?: Date;
  to?: Date;
}

/** A job that executes a pipeline, with the sums of its splits while it is under way. */
export type Run = Job & { live: SplitCounts | null };

export type LatestRun = Run & { nodes: string };

const liveSql = `
  case when jobs.status = 'running' then (
    select json_build_object('rowsRead', coalesce(sum(rows_read), 0), 'rowsWritten', coalesce(sum(rows_written), 0),
                             'bytesRead', coalesce(sum(bytes_read), 0), 'bytesWritten', coalesce(sum(bytes_written), 0))
      from job_splits s where s.workspace_id = jobs.workspace_id and s.job_id = jobs.id) end as live`;

/** Reads of jobs as runs. */
export const makeRuns = (db: Knex) => ({
  get: async (scope: WorkspaceScope, id: string): Promise<Run> => {
    const { rows } = await db.raw<{ rows: Run[] }>(
      `select jobs.*, ${liveSql} from jobs
        where workspace_id = ? and id = ? and type = any(?)`,
      [scope.workspaceId, id, [...runTypes]],
    );
    if (!rows[0]) throw notFound();
    return rows[0];
  },

  list: async (scope: WorkspaceScope, filter: RunFilter, page: PageRequest): Promise<Page<Run>> => {
    const query = Job.query(db)
      .select('jobs.*', db.raw(liveSql))
      .where('jobs.workspace_id', scope.workspaceId)
      .whereIn('jobs.type', [...runTypes]);
    if (filter.pipelineId !== undefined) void query.where('jobs.pipeline_id', filter.pipelineId);
    if (filter.status !== undefined) void query.where('jobs.status', filter.status);
    if (filter.from !== undefined) void query.where('jobs.created_at', '>=', filter.from);
    if (filter.to !== undefined) void query.where('jobs.created_at', '<', filter.to);
    return (await keysetPage(query, page, 'jobs')) as Page<Run>;
  },

  /** The latest run of a pipeline with the graph it pinned; undefined before the first. */
  latest: async (scope: WorkspaceScope, pipelineId: string): Promise<LatestRun | undefined> => {
    const { rows } = await db.raw<{ rows: LatestRun[] }>(
      `select jobs.*, ${liveSql}, v.nodes from jobs
         join pipeline_versions v on v.workspace_id = jobs.workspace_id
          and v.pipeline_id = jobs.pipeline_id and v.version = jobs.pipeline_version
        where jobs.workspace_id = ? and jobs.pipeline_id = ? and jobs.type = any(?)
        order by jobs.id desc limit 1`,
      [scope.workspaceId, pipelineId, [...runTypes]],
    );
    return rows[0];
  },
});
