import type { Knex } from 'knex';
import type { WorkspaceScope } from '../../core/scope.js';

/** Tables whose rows a body or a query may name. */
export type Referable = 'projects' | 'folders' | 'environments' | 'pipelines';

/** Things a body may name. Each is looked up in the caller's workspace only. */
export const makeReferences = (db: Knex) => ({
  exists: async (scope: WorkspaceScope, what: Referable, id: string): Promise<boolean> => {
    const { rows } = await db.raw<{ rows: unknown[] }>(
      'select 1 from ?? where workspace_id = ? and id = ?',
      [what, scope.workspaceId, id],
    );
    return rows.length > 0;
  },

  /** One statement for the two places a pipeline can be put. */
  place: async (
    scope: WorkspaceScope,
    projectId: string,
    folderId: string | null,
  ): Promise<{ project: boolean; folder: boolean }> => {
    const { rows } = await db.raw<{ rows: [{ project: boolean; folder: boolean }] }>(
      `select exists (select from projects where workspace_id = :workspace and id = :project) as project,
              exists (select from folders where workspace_id = :workspace and project_id = :project
                        and id = :folder) as folder`,
      { workspace: scope.workspaceId, project: projectId, folder: folderId },
    );
    return { project: rows[0].project, folder: folderId === null || rows[0].folder };
  },

  connections: async (
    scope: WorkspaceScope,
    ids: readonly string[],
  ): Promise<ReadonlyMap<string, string>> => {
    const { rows } = await db.raw<{ rows: { id: string; type: string }[] }>(
      'select id, type from connections where workspace_id = ? and id = any(?::uuid[])',
      [scope.workspaceId, [...ids]],
    );
    return new Map(rows.map(({ id, type }) => [id, type]));
  },
});
