import type { Knex } from 'knex';
import type { WorkspaceScope } from '../../core/scope.js';
import { Credential } from '../models/tables.js';

export interface NewCredential {
  /** Chosen by the caller: the sealed text is bound to it. */
  id: string;
  name: string;
  type: string;
  implicit: boolean;
  sealed: string;
  fields: readonly string[];
}

export const makeCredentials = (db: Knex) => ({
  exists: async (scope: WorkspaceScope, id: string): Promise<boolean> =>
    (await Credential.query(db)
      .where({ workspace_id: scope.workspaceId, id, implicit: false })
      .resultSize()) > 0,

  create: async (scope: WorkspaceScope, credential: NewCredential): Promise<void> => {
    await Credential.query(db).insert({
      ...credential,
      fields: [...credential.fields],
      workspace_id: scope.workspaceId,
    });
  },

  /** Ids are made by the database; a sealed row needs its own before it is written. */
  nextId: async (): Promise<string> => {
    const { rows } = await db.raw<{ rows: [{ id: string }] }>('select uuidv7() as id');
    return rows[0].id;
  },
});
