import type { Knex } from 'knex';
import { AppError, notFound } from '../../core/errors.js';
import type { WorkspaceScope } from '../../core/scope.js';
import { Project } from '../models/tables.js';
import { containsPattern } from '../search.js';

export interface ProjectSummary {
  folders: number;
  pipelines: number;
  activePipelines: number;
  runs24h: number;
  failedRuns24h: number;
}

export type ProjectWithSummary = Project & { summary: ProjectSummary };

const summarySql = `
  json_build_object(
    'folders', (select count(*) from folders f
                 where f.workspace_id = projects.workspace_id and f.project_id = projects.id),
    'pipelines', (select count(*) from pipelines p
                   where p.workspace_id = projects.workspace_id and p.project_id = projects.id
                     and p.deleted_at is null),
    'activePipelines', (select count(*) from pipelines p
                         where p.workspace_id = projects.workspace_id and p.project_id = projects.id
                           and p.deleted_at is null and p.status = 'active'),
    'runs24h', coalesce(recent.runs, 0),
    'failedRuns24h', coalesce(recent.failed, 0)
  ) as summary`;

const recentRunsSql = `
  left join lateral (
    select count(*) as runs, count(*) filter (where j.status = 'failed') as failed
      from pipelines p
      join jobs j on j.workspace_id = p.workspace_id and j.pipeline_id = p.id
     where p.workspace_id = projects.workspace_id and p.project_id = projects.id
       and j.created_at > now() - interval '24 hours'
  ) recent on true`;

export const makeProjects = (db: Knex) => {
  const inScope = (scope: WorkspaceScope) =>
    Project.query(db).where('workspace_id', scope.workspaceId);

  return {
    list: async (scope: WorkspaceScope, search?: string): Promise<Project[]> => {
      const query = inScope(scope);
      if (search !== undefined) void query.where('name', 'ilike', containsPattern(search));
      return query.orderBy('id', 'desc').limit(10_000);
    },

    get: async (scope: WorkspaceScope, id: string): Promise<ProjectWithSummary> => {
      const { rows } = await db.raw<{ rows: ProjectWithSummary[] }>(
        `select projects.*, ${summarySql} from projects ${recentRunsSql}
          where projects.workspace_id = ? and projects.id = ?`,
        [scope.workspaceId, id],
      );
      if (!rows[0]) throw notFound();
      return rows[0];
    },

    create: async (
      scope: WorkspaceScope,
      { name, description }: { name: string; description: string | null },
    ): Promise<Project> =>
      Project.query(db)
        .insert({ workspace_id: scope.workspaceId, name, description })
        .returning('*'),

    /** `updated_at` moves only if something changes. */
    update: async (
      scope: WorkspaceScope,
      id: string,
      changes: { name?: string; description?: string | null },
    ): Promise<void> => {
      const { rows } = await db.raw<{ rows: unknown[] }>(
        `update projects set
           name = case when :setName then :name else name end,
           description = case when :setDescription then :description else description end,
           updated_at = case
             when (:setName and name is distinct from :name)
               or (:setDescription and description is distinct from :description)
             then now() else updated_at end
         where workspace_id = :workspaceId and id = :id returning 1`,
        {
          workspaceId: scope.workspaceId,
          id,
          setName: changes.name !== undefined,
          name: changes.name ?? '',
          setDescription: changes.description !== undefined,
          description: changes.description ?? null,
        },
      );
      if (rows.length === 0) throw notFound();
    },

    /**
     * Refused while pipelines exist, trashed ones included. With cascade (which the workspace must
     * allow) they move to the trash and leave the project, but are never destroyed.
     */
    remove: async (
      scope: WorkspaceScope,
      id: string,
      { cascade }: { cascade: boolean },
    ): Promise<Date> => {
      const { rows } = await db.raw<{
        rows: { allowed: boolean; live: number; trashed: number; deleted_at: Date }[];
      }>(
        `select w.allow_project_cascade as allowed, now()::timestamptz(3) as deleted_at,
                count(p.id) filter (where p.deleted_at is null) as live,
                count(p.id) filter (where p.deleted_at is not null) as trashed
           from projects j
           join workspaces w on w.id = j.workspace_id
           left join pipelines p on p.workspace_id = j.workspace_id and p.project_id = j.id
          where j.workspace_id = ? and j.id = ?
          group by w.allow_project_cascade`,
        [scope.workspaceId, id],
      );
      const found = rows[0];
      if (!found) throw notFound();
      if (found.live + found.trashed > 0 && !(cascade && found.allowed)) {
        throw await inUse(scope, id, found, cascade && !found.allowed);
      }
      await db.raw(
        `update pipelines set deleted_at = coalesce(deleted_at, now()), project_id = null, folder_id = null
          where workspace_id = ? and project_id = ?`,
        [scope.workspaceId, id],
      );
      await inScope(scope).where({ id }).delete();
      return found.deleted_at;
    },
  };

  async function inUse(
    scope: WorkspaceScope,
    id: string,
    counts: { live: number; trashed: number },
    cascadeRefused: boolean,
  ): Promise<AppError> {
    const { rows } = await db.raw<{ rows: { id: string; name: string }[] }>(
      `select id, name from pipelines where workspace_id = ? and project_id = ? order by id limit 20`,
      [scope.workspaceId, id],
    );
    const why = cascadeRefused ? ' This workspace does not allow cascading deletes.' : '';
    return new AppError(
      'in_use',
      `The project still has ${counts.live} pipelines and ${counts.trashed} in the trash.${why}`,
      {
        pipelines: counts.live,
        trashedPipelines: counts.trashed,
        references: rows.map((row) => ({ type: 'pipeline', ...row })),
      },
    );
  }
};
