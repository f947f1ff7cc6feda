import type { Knex } from 'knex';
import type { WorkspaceScope } from '../../core/scope.js';

export interface Cursor {
  nodeId: string;
  column: string;
  value: string;
}

/** How far the sources of a pipeline have been read. */
export const makeCursors = (db: Knex) => ({
  /** Undefined where nothing was read yet, or by another column. */
  get: async (
    scope: WorkspaceScope,
    pipelineId: string,
    nodeId: string,
    column: string,
  ): Promise<string | undefined> => {
    const { rows } = await db.raw<{ rows: { value: string }[] }>(
      `select value from cursors
        where workspace_id = ? and pipeline_id = ? and node_id = ? and cursor_column = ?`,
      [scope.workspaceId, pipelineId, nodeId, column],
    );
    return rows[0]?.value;
  },

  /** In the transaction that ends the job successfully. */
  advance: async (
    scope: WorkspaceScope,
    pipelineId: string,
    jobId: string,
    cursors: readonly Cursor[],
  ): Promise<void> => {
    if (cursors.length === 0) return;
    await db.raw(
      `insert into cursors (workspace_id, pipeline_id, job_id, node_id, cursor_column, value)
       select ?, ?, ?, * from unnest(?::text[], ?::text[], ?::text[])
       on conflict (workspace_id, pipeline_id, node_id) do update
         set cursor_column = excluded.cursor_column, value = excluded.value,
             job_id = excluded.job_id, updated_at = now()`,
      [
        ...[scope.workspaceId, pipelineId, jobId],
        cursors.map(({ nodeId }) => nodeId),
        cursors.map(({ column }) => column),
        cursors.map(({ value }) => value),
      ],
    );
  },

  /** The next run reads everything again; tells how many sources that concerns. */
  reset: async (scope: WorkspaceScope, pipelineId: string): Promise<number> => {
    const { rows } = await db.raw<{ rows: unknown[] }>(
      'delete from cursors where workspace_id = ? and pipeline_id = ? returning 1',
      [scope.workspaceId, pipelineId],
    );
    return rows.length;
  },
});
