import type { Knex } from 'knex';
import { notFound } from '../../core/errors.js';
import { runTypes } from '../../core/jobs.js';
import type { SplitCounts } from '../../core/metrics.js';
import type { PlannedStage } from '../../core/runView.js';
import type { WorkspaceScope } from '../../core/scope.js';
import type { JobStatus } from '../../core/status.js';
import { keysetPage } from '../keyset.js';
import type { Page, PageRequest } from '../keyset.js';
import { Job } from '../models/tables.js';
import { sumColumns } from './splits.js';

export interface RunFilter {
  pipelineId?: string;
  status?: JobStatus;
  /** On the queued time: from inclusive, to exclusive. */
  from?: Date;
  to?: Date;
}

/** A job that executes a pipeline, and what is not in its row. */
export type Run = Job & {
  /** Sums of its splits while it is under way. */
  live: SplitCounts | null;
  /** The latest undo of its chain. */
  undo: {
    status: JobStatus;
    finishedAt: string | null;
    result: { rowsRemoved: number; rowsMissing: number } | null;
  } | null;
  now: Date;
};

export interface RunWithGraph {
  run: Run;
  nodes: { id: string; type: string }[];
  stages: PlannedStage[];
}

const sums = sumColumns.map(([name, sql]) => `'${name}', ${sql}`).join(', ');

const liveSql = `
  now()::timestamptz(3) as now,
  case when jobs.status = 'running' then (
    select json_build_object(${sums})
      from job_splits s where s.workspace_id = jobs.workspace_id and s.job_id = jobs.id) end as live`;

const undoSql = `(
  select json_build_object('status', u.status, 'finishedAt', u.finished_at, 'result', u.result::json)
    from jobs u where u.workspace_id = jobs.workspace_id and u.undo_of = jobs.root_job_id
   order by u.id desc limit 1) as undo`;

const graphSql = `
  left join pipeline_versions v on v.workspace_id = jobs.workspace_id
   and v.pipeline_id = jobs.pipeline_id and v.version = jobs.pipeline_version`;

const withGraph = (row: Run & { nodes: string | null }): RunWithGraph => {
  const stages =
    row.plan === null ? [] : (JSON.parse(row.plan) as { stages: PlannedStage[] }).stages;
  const graph = JSON.parse(row.nodes ?? '[]') as { id: string; type: string }[];
  return { run: row, nodes: graph.map(({ id, type }) => ({ id, type })), stages };
};

/** Reads of jobs as runs. */
export const makeRuns = (db: Knex) => {
  const first = async <Row>(
    sql: string,
    values: readonly (string | string[])[],
  ): Promise<Row | undefined> => {
    const { rows } = await db.raw<{ rows: Row[] }>(sql, [...values]);
    return rows[0];
  };

  return {
    get: async (scope: WorkspaceScope, id: string): Promise<Run> => {
      const run = await first<Run>(
        `select jobs.*, ${liveSql}, ${undoSql} from jobs
          where workspace_id = ? and id = ? and type = any(?)`,
        [scope.workspaceId, id, [...runTypes]],
      );
      if (!run) throw notFound();
      return run;
    },

    withGraph: async (scope: WorkspaceScope, id: string): Promise<RunWithGraph> => {
      const row = await first<Run & { nodes: string | null }>(
        `select jobs.*, v.nodes from jobs ${graphSql}
          where jobs.workspace_id = ? and jobs.id = ? and jobs.type = any(?)`,
        [scope.workspaceId, id, [...runTypes]],
      );
      if (!row) throw notFound();
      return withGraph(row);
    },

    list: async (
      scope: WorkspaceScope,
      filter: RunFilter,
      page: PageRequest,
    ): Promise<Page<Run>> => {
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
    latest: async (
      scope: WorkspaceScope,
      pipelineId: string,
    ): Promise<RunWithGraph | undefined> => {
      const row = await first<Run & { nodes: string | null }>(
        `select jobs.*, v.nodes from jobs ${graphSql}
          where jobs.workspace_id = ? and jobs.pipeline_id = ? and jobs.type = any(?)
          order by jobs.id desc limit 1`,
        [scope.workspaceId, pipelineId, [...runTypes]],
      );
      return row && withGraph(row);
    },
  };
};
