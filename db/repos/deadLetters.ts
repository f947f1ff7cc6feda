import type { Knex } from 'knex';
import type { WorkspaceScope } from '../../core/scope.js';

export interface DeadLetter {
  id: string;
  nodeId: string;
  position: number;
  code: string;
  message: string;
  column: string | null;
  /** JSON: column → text of the value. */
  payload: string | null;
}

export interface DeadLetterPlace {
  jobId: string;
  pipelineId: string | null;
  stage: string;
  split: number;
}

/** Rows that could not go on, kept with their reason. */
export const makeDeadLetters = (db: Knex) => ({
  /** Invisible until `reveal`: should this attempt not be the one that counts, they never were. */
  replace: async (
    scope: WorkspaceScope,
    { jobId, pipelineId, stage, split }: DeadLetterPlace,
    letters: readonly DeadLetter[],
  ): Promise<void> => {
    await db.raw(
      `delete from dead_letters
        where workspace_id = ? and job_id = ? and stage = ? and split = ? and not id = any(?)`,
      [scope.workspaceId, jobId, stage, split, letters.map(({ id }) => id)],
    );
    if (letters.length === 0) return;
    await db.raw(
      `insert into dead_letters (workspace_id, job_id, pipeline_id, stage, split, id, node_id,
              position, code, message, column_name, payload)
       select :workspaceId, :jobId, :pipelineId, :stage, :split, letter.*
         from unnest(:ids::text[], :nodes::text[], :positions::bigint[], :codes::text[],
                     :messages::text[], :columns::text[], :payloads::text[]) letter
       on conflict (workspace_id, id) do update set code = excluded.code,
              message = excluded.message, column_name = excluded.column_name,
              payload = excluded.payload`,
      {
        workspaceId: scope.workspaceId,
        jobId,
        pipelineId,
        stage,
        split,
        ids: letters.map(({ id }) => id),
        nodes: letters.map(({ nodeId }) => nodeId),
        positions: letters.map(({ position }) => position),
        codes: letters.map(({ code }) => code),
        messages: letters.map(({ message }) => message),
        columns: letters.map(({ column }) => column),
        payloads: letters.map(({ payload }) => payload),
      },
    );
  },

  /** In the transaction that says the split is done. */
  reveal: async (
    scope: WorkspaceScope,
    { jobId, stage, split }: Omit<DeadLetterPlace, 'pipelineId'>,
  ): Promise<void> => {
    await db.raw(
      `update dead_letters set visible = true
        where workspace_id = ? and job_id = ? and stage = ? and split = ? and not visible`,
      [scope.workspaceId, jobId, stage, split],
    );
  },

  /** Before a stage starts over: its next splits are others. */
  removeStage: async (scope: WorkspaceScope, jobId: string, stage: string): Promise<void> => {
    await db.raw('delete from dead_letters where workspace_id = ? and job_id = ? and stage = ?', [
      scope.workspaceId,
      jobId,
      stage,
    ]);
  },

  /**
   * Rows that other splits of the stage have lost against their will: those that a rule turned
   * away do not count.
   */
  errorsElsewhere: async (
    scope: WorkspaceScope,
    { jobId, stage, split }: Omit<DeadLetterPlace, 'pipelineId'>,
  ): Promise<number> => {
    const { rows } = await db.raw<{ rows: [{ errors: number }] }>(
      `select count(*) as errors from dead_letters
        where workspace_id = ? and job_id = ? and stage = ? and split <> ? and code <> 'rule_failed'`,
      [scope.workspaceId, jobId, stage, split],
    );
    return rows[0].errors;
  },
});
