import type { Knex } from 'knex';
import type { WorkspaceScope } from '../../core/scope.js';

/** A question that no worker has taken by then is not asked any more. */
const askSeconds = 60;

/** Longer than any live call takes. What is older was never asked for, and goes with the next one. */
const keepSeconds = 120;

/** What live calls are asked and what they answered; each is read once. */
export const makeLive = (db: Knex) => ({
  ask: async (scope: WorkspaceScope, id: string, sealed: string): Promise<void> => {
    await db.raw(
      `with old as (
         delete from live_inputs where created_at < now() - :ask * interval '1 second'
       ), unread as (
         delete from live_results where created_at < now() - :keep * interval '1 second'
       )
       insert into live_inputs (id, workspace_id, sealed) values (:id, :workspaceId, :sealed)`,
      { ask: askSeconds, keep: keepSeconds, id, workspaceId: scope.workspaceId, sealed },
    );
  },

  /** Workers know a call by its id only. */
  take: async (id: string): Promise<{ workspaceId: string; sealed: string } | undefined> => {
    const { rows } = await db.raw<{ rows: { workspaceId: string; sealed: string }[] }>(
      `delete from live_inputs where id = ? returning workspace_id as "workspaceId", sealed`,
      [id],
    );
    return rows[0];
  },

  answer: async (scope: WorkspaceScope, id: string, answer: string): Promise<void> => {
    await db.raw(`insert into live_results (id, workspace_id, answer) values (?, ?, ?)`, [
      id,
      scope.workspaceId,
      answer,
    ]);
  },

  /** Whoever asked has gone away. */
  forget: async (scope: WorkspaceScope, id: string): Promise<void> => {
    await db.raw(
      `with asked as (delete from live_inputs where workspace_id = :workspaceId and id = :id)
       delete from live_results where workspace_id = :workspaceId and id = :id`,
      { workspaceId: scope.workspaceId, id },
    );
  },

  read: async (scope: WorkspaceScope, id: string): Promise<string | undefined> => {
    const { rows } = await db.raw<{ rows: { answer: string }[] }>(
      `delete from live_results where workspace_id = ? and id = ? returning answer`,
      [scope.workspaceId, id],
    );
    return rows[0]?.answer;
  },
});
