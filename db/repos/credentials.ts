import type { Knex } from 'knex';
import { AppError, notFound } from '../../core/errors.js';
import type { WorkspaceScope } from '../../core/scope.js';
import { Credential } from '../models/tables.js';
import { containsPattern } from '../search.js';
import { refusingDuplicates } from './errors.js';

export interface NewCredential {
  /** Chosen by the caller: the sealed text is bound to it. */
  id: string;
  name: string;
  type: string;
  implicit: boolean;
  sealed: string;
  fields: readonly string[];
}

/** What opening one needs. */
export interface SealedCredential {
  id: string;
  type: string;
  implicit: boolean;
  sealed: string;
}

export type CredentialWithUsers = Credential & {
  users: number;
  /** The first 20 of them. */
  references: { id: string; name: string }[];
};

export interface CredentialChanges {
  name?: string;
  secrets?: { sealed: string; fields: readonly string[] };
}

const duplicate = 'A credential with this name exists.';

const withUsersSql = `
  select c.*, used.users, used.refs as "references"
    from credentials c
   cross join lateral (
     select count(*) as users,
            coalesce(json_agg(json_build_object('id', u.id, 'name', u.name) order by u.id)
                       filter (where u.place <= 20), '[]') as refs
       from (select id, name, row_number() over (order by id) as place from connections
              where workspace_id = c.workspace_id and credential_id = c.id) u
   ) used
   where c.workspace_id = :workspaceId`;

export const makeCredentials = (db: Knex) => {
  const get = async (scope: WorkspaceScope, id: string): Promise<CredentialWithUsers> => {
    const { rows } = await db.raw<{ rows: CredentialWithUsers[] }>(
      `${withUsersSql} and c.id = :id`,
      {
        workspaceId: scope.workspaceId,
        id,
      },
    );
    if (!rows[0]) throw notFound();
    return rows[0];
  };

  return {
    get,

    /** Those that people have made; what was typed into a connection belongs to that. */
    list: async (
      scope: WorkspaceScope,
      { type, search }: { type?: string; search?: string },
    ): Promise<CredentialWithUsers[]> => {
      const { rows } = await db.raw<{ rows: CredentialWithUsers[] }>(
        `${withUsersSql} and not c.implicit
            and (cast(:type as text) is null or c.type = :type)
            and (cast(:pattern as text) is null or c.name ilike :pattern)
          order by c.id desc limit 10000`,
        {
          workspaceId: scope.workspaceId,
          type: type ?? null,
          pattern: search === undefined ? null : containsPattern(search),
        },
      );
      return rows;
    },

    find: async (scope: WorkspaceScope, id: string): Promise<SealedCredential | undefined> =>
      Credential.query(db)
        .select('id', 'type', 'implicit', 'sealed')
        .findOne({ workspace_id: scope.workspaceId, id }),

    /** Nobody else changes it until the transaction ends. */
    lock: async (scope: WorkspaceScope, id: string): Promise<SealedCredential> => {
      const found = await Credential.query(db)
        .select('id', 'type', 'implicit', 'sealed')
        .findOne({ workspace_id: scope.workspaceId, id })
        .forUpdate();
      if (!found) throw notFound();
      return found;
    },

    create: async (scope: WorkspaceScope, credential: NewCredential): Promise<void> => {
      await refusingDuplicates('/name', duplicate, async () =>
        Credential.query(db).insert({
          ...credential,
          fields: [...credential.fields],
          workspace_id: scope.workspaceId,
        }),
      );
    },

    /** What is not named stays; new secrets are a rotation. */
    update: async (
      scope: WorkspaceScope,
      id: string,
      { name, secrets }: CredentialChanges,
    ): Promise<void> => {
      await refusingDuplicates('/name', duplicate, async () => {
        await db.raw(
          `update credentials set
             name = coalesce(:name, name),
             sealed = coalesce(:sealed, sealed),
             fields = coalesce(cast(:fields as text[]), fields),
             last_rotated_at = case when cast(:sealed as text) is null then last_rotated_at else now() end,
             updated_at = case when cast(:sealed as text) is null and coalesce(:name, name) = name
               then updated_at else now() end
           where workspace_id = :workspaceId and id = :id`,
          {
            workspaceId: scope.workspaceId,
            id,
            name: name ?? null,
            sealed: secrets?.sealed ?? null,
            fields: secrets ? [...secrets.fields] : null,
          },
        );
      });
    },

    /** Refused while connections use it. */
    remove: async (scope: WorkspaceScope, id: string): Promise<Date> => {
      await db.raw('select 1 from credentials where workspace_id = ? and id = ? for update', [
        scope.workspaceId,
        id,
      ]);
      const { references } = await get(scope, id);
      if (references.length > 0) {
        throw new AppError('in_use', 'Connections use this credential.', {
          references: references.map((one) => ({ type: 'connection', ...one })),
        });
      }
      const { rows } = await db.raw<{ rows: [{ deleted_at: Date }] }>(
        `delete from credentials where workspace_id = ? and id = ?
         returning now()::timestamptz(3) as deleted_at`,
        [scope.workspaceId, id],
      );
      return rows[0].deleted_at;
    },

    /** What was typed into a connection goes with it. */
    removeImplicit: async (scope: WorkspaceScope, id: string): Promise<void> => {
      await Credential.query(db)
        .where({ workspace_id: scope.workspaceId, id, implicit: true })
        .delete();
    },

    /** Ids are made by the database; a sealed row needs its own before it is written. */
    nextId: async (): Promise<string> => {
      const { rows } = await db.raw<{ rows: [{ id: string }] }>('select uuidv7() as id');
      return rows[0].id;
    },
  };
};
