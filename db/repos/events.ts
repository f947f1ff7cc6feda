import type { Knex } from 'knex';
import type { EventName, EventPayloads } from '../../core/events.js';
import type { WorkspaceScope } from '../../core/scope.js';

export const makeEvents = (db: Knex) => ({
  /** Only ever called in the transaction of the change that the event reports. */
  record: async (
    scope: WorkspaceScope,
    name: EventName,
    payload: EventPayloads['job'],
  ): Promise<void> => {
    await db.raw('insert into events (workspace_id, name, payload) values (?, ?, ?)', [
      scope.workspaceId,
      name,
      JSON.stringify(payload),
    ]);
  },
});
