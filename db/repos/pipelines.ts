import type { Knex } from 'knex';
import { AppError, notFound } from '../../core/errors.js';
import type { WorkspaceScope } from '../../core/scope.js';
import { lockDecision } from '../locks.js';
import { Pipeline } from '../models/tables.js';
import { containsPattern } from '../search.js';

export type PipelineStatus = Pipeline['status'];

export type PipelineWithGraph = Pipeline & { nodes: string; edges: string };

export interface Definition {
  /** JSON text, kept as it came. */
  nodes: string;
  edges: string;
  /** Connections the nodes name; unknown ones are the validator's business and not recorded. */
  connectionIds: readonly string[];
}

export interface NewPipeline extends Definition {
  projectId: string;
  folderId: string | null;
  name: string;
  createdBy: string;
}

export interface PipelineFilter {
  projectId?: string;
  folderId?: string;
  search?: string;
  status?: PipelineStatus;
}

const trashed = () =>
  new AppError('wrong_state', 'The pipeline is in the trash; restore it first.');

export const makePipelines = (db: Knex) => {
  const select = async (
    scope: WorkspaceScope,
    id: string,
    lock: '' | 'for update of p',
  ): Promise<PipelineWithGraph> => {
    const { rows } = await db.raw<{ rows: PipelineWithGraph[] }>(
      `select p.*, v.nodes, v.edges
         from pipelines p
         join pipeline_versions v
           on v.workspace_id = p.workspace_id and v.pipeline_id = p.id and v.version = p.version
        where p.workspace_id = ? and p.id = ? ${lock}`,
      [scope.workspaceId, id],
    );
    if (!rows[0]) throw notFound();
    return rows[0];
  };

  const recordConnections = async (
    scope: WorkspaceScope,
    id: string,
    connectionIds: readonly string[],
  ): Promise<void> => {
    if (connectionIds.length === 0) return;
    await db.raw(
      `insert into pipeline_connections (workspace_id, pipeline_id, connection_id)
       select workspace_id, ?, id from connections where workspace_id = ? and id = any(?::uuid[])`,
      [id, scope.workspaceId, [...connectionIds]],
    );
  };

  const refuseTrashed = (pipeline: PipelineWithGraph): PipelineWithGraph => {
    if (pipeline.deleted_at) throw trashed();
    return pipeline;
  };

  return {
    /** Trashed ones included: their `deleted_at` says so. */
    get: (scope: WorkspaceScope, id: string) => select(scope, id, ''),
    /** Refused in the trash. */
    getLive: async (scope: WorkspaceScope, id: string): Promise<PipelineWithGraph> =>
      refuseTrashed(await select(scope, id, '')),
    /** For a write that changes it: locked as well. */
    getForChange: async (scope: WorkspaceScope, id: string): Promise<PipelineWithGraph> =>
      refuseTrashed(await select(scope, id, 'for update of p')),

    /** The graph of one version, for a run that pinned it. */
    version: async (
      scope: WorkspaceScope,
      id: string,
      version: number,
    ): Promise<{ nodes: string; edges: string } | undefined> => {
      const { rows } = await db.raw<{ rows: { nodes: string; edges: string }[] }>(
        `select nodes, edges from pipeline_versions
          where workspace_id = ? and pipeline_id = ? and version = ?`,
        [scope.workspaceId, id, version],
      );
      return rows[0];
    },

    list: async (scope: WorkspaceScope, filter: PipelineFilter): Promise<Pipeline[]> => {
      const query = Pipeline.query(db)
        .where('workspace_id', scope.workspaceId)
        .whereNull('deleted_at');
      if (filter.projectId !== undefined) void query.where('project_id', filter.projectId);
      if (filter.folderId !== undefined) void query.where('folder_id', filter.folderId);
      if (filter.status !== undefined) void query.where('status', filter.status);
      if (filter.search !== undefined) {
        void query.where('name', 'ilike', containsPattern(filter.search));
      }
      return query.orderBy('id', 'desc').limit(10_000);
    },

    create: async (scope: WorkspaceScope, pipeline: NewPipeline): Promise<PipelineWithGraph> => {
      await lockDecision(db, 'pipelines', scope.workspaceId);
      const { rows } = await db.raw<{ rows: PipelineWithGraph[] }>(
        `with added as (
           insert into pipelines (workspace_id, project_id, folder_id, name)
           select w.id, :projectId, :folderId, :name from workspaces w
            where w.id = :workspaceId and w.max_pipelines >
              (select count(*) from pipelines p where p.workspace_id = w.id and p.deleted_at is null)
           returning *
         ), version as (
           insert into pipeline_versions (workspace_id, pipeline_id, version, nodes, edges, created_by)
           select workspace_id, id, version, :nodes, :edges, :createdBy from added
           returning nodes, edges
         )
         select added.*, version.nodes, version.edges from added, version`,
        {
          workspaceId: scope.workspaceId,
          projectId: pipeline.projectId,
          folderId: pipeline.folderId,
          name: pipeline.name,
          nodes: pipeline.nodes,
          edges: pipeline.edges,
          createdBy: pipeline.createdBy,
        },
      );
      const added = rows[0];
      if (!added) {
        throw new AppError(
          'quota_exceeded',
          'The workspace has as many pipelines as it may have (max_pipelines).',
        );
      }
      await recordConnections(scope, added.id, pipeline.connectionIds);
      return added;
    },

    /** A changed graph becomes the next version; runs in flight keep the one they pinned. */
    saveDefinition: async (
      scope: WorkspaceScope,
      id: string,
      definition: Definition,
      by: string,
    ): Promise<void> => {
      await db.raw(
        `with next as (
           update pipelines set version = version + 1, updated_at = now()
            where workspace_id = :workspaceId and id = :id returning version
         )
         insert into pipeline_versions (workspace_id, pipeline_id, version, nodes, edges, created_by)
         select :workspaceId, :id, version, :nodes, :edges, :by from next`,
        {
          workspaceId: scope.workspaceId,
          id,
          nodes: definition.nodes,
          edges: definition.edges,
          by,
        },
      );
      await db.raw(`delete from pipeline_connections where workspace_id = ? and pipeline_id = ?`, [
        scope.workspaceId,
        id,
      ]);
      await recordConnections(scope, id, definition.connectionIds);
    },

    /** A worker has understood every expression of this version. */
    markBound: async (scope: WorkspaceScope, id: string, version: number): Promise<void> => {
      await db.raw(
        `update pipelines set bound_version = :version
          where workspace_id = :workspaceId and id = :id and version = :version`,
        { workspaceId: scope.workspaceId, id, version },
      );
    },

    setStatus: async (scope: WorkspaceScope, id: string, status: PipelineStatus): Promise<void> => {
      await db.raw(
        `update pipelines set status = :status,
                updated_at = case when status = :status then updated_at else now() end
          where workspace_id = :workspaceId and id = :id`,
        { workspaceId: scope.workspaceId, id, status },
      );
    },

    /** Idempotent: trashing what is in the trash says when that happened. */
    trash: async (scope: WorkspaceScope, id: string): Promise<Date> => {
      const { rows } = await db.raw<{ rows: { deleted_at: Date }[] }>(
        `update pipelines set deleted_at = coalesce(deleted_at, now())
          where workspace_id = ? and id = ? returning deleted_at`,
        [scope.workspaceId, id],
      );
      if (!rows[0]) throw notFound();
      return rows[0].deleted_at;
    },
  };
};
