import type { Knex } from 'knex';
import { AppError, notFound } from '../../core/errors.js';
import type { Principal, WorkspaceScope } from '../../core/scope.js';
import { channels } from '../listen.js';
import { ApiKey } from '../models/tables.js';

export interface NewKey {
  userId: string;
  name: string;
  scopes: readonly string[];
  prefix: string;
  hash: string;
  expiresInDays: number | null;
}

export interface FoundKey {
  principal: Principal;
  expiresAt: Date | null;
}

interface KeyRow {
  id: string;
  user_id: string;
  workspace_id: string;
  organization_id: string;
  scopes: string[];
  expires_at: Date | null;
}

export const makeApiKeys = (db: Knex) => {
  const ofUser = (scope: WorkspaceScope, userId: string) =>
    ApiKey.query(db).where({ workspace_id: scope.workspaceId, user_id: userId });

  const get = async (scope: WorkspaceScope, userId: string, id: string): Promise<ApiKey> => {
    const key = await ofUser(scope, userId).findOne({ id });
    if (!key) throw notFound();
    return key;
  };

  /** Sent with the transaction: every process forgets the key as the change becomes visible. */
  const forget = (hash: string) => db.raw('select pg_notify(?, ?)', [channels.authChanged, hash]);

  return {
    get,

    list: async (scope: WorkspaceScope, userId: string): Promise<ApiKey[]> =>
      ofUser(scope, userId).orderBy('id', 'desc').limit(10_000),

    create: async (scope: WorkspaceScope, key: NewKey): Promise<ApiKey> =>
      ApiKey.query(db)
        .insert({
          workspace_id: scope.workspaceId,
          user_id: key.userId,
          name: key.name,
          scopes: [...key.scopes],
          prefix: key.prefix,
          hash: key.hash,
          ...(key.expiresInDays === null
            ? {}
            : { expires_at: db.raw(`now() + ? * interval '1 day'`, [key.expiresInDays]) as never }),
        })
        .returning('*'),

    revoke: async (scope: WorkspaceScope, userId: string, id: string): Promise<void> => {
      const { hash } = await get(scope, userId, id);
      await ofUser(scope, userId).where({ id }).delete();
      await forget(hash);
    },

    /** A new secret under the same id and expiry; the old one dies with this transaction. */
    regenerate: async (
      scope: WorkspaceScope,
      userId: string,
      id: string,
      { prefix, hash }: { prefix: string; hash: string },
    ): Promise<{ key: ApiKey; rotatedAt: Date }> => {
      const old = await get(scope, userId, id);
      const [row] = await ofUser(scope, userId)
        .where({ id })
        .whereRaw('(expires_at is null or expires_at > now())')
        .patch({ prefix, hash, last_used_at: null })
        .returning(['*', db.raw('now()::timestamptz(3) as rotated_at') as never]);
      if (!row) throw new AppError('wrong_state', 'The key has expired; create a new one.');
      await forget(old.hash);
      return { key: row, rotatedAt: (row as ApiKey & { rotated_at: Date }).rotated_at };
    },

    /** The one lookup that happens before there is a scope. */
    findByHash: async (hash: string): Promise<FoundKey | undefined> => {
      const { rows } = await db.raw<{ rows: KeyRow[] }>(
        `select k.id, k.user_id, k.workspace_id, w.organization_id, k.scopes, k.expires_at
           from api_keys k join workspaces w on w.id = k.workspace_id
          where k.hash = ? and (k.expires_at is null or k.expires_at > now())`,
        [hash],
      );
      const row = rows[0];
      return (
        row && {
          principal: {
            keyId: row.id,
            userId: row.user_id,
            organizationId: row.organization_id,
            workspaceId: row.workspace_id,
            scopes: row.scopes,
          },
          expiresAt: row.expires_at,
        }
      );
    },

    /** Written at most once a minute per key: a busy key is not a hot row. */
    touch: async (principal: Principal): Promise<void> => {
      await db.raw(
        `update api_keys set last_used_at = now()
          where workspace_id = ? and id = ?
            and (last_used_at is null or last_used_at < now() - interval '1 minute')`,
        [principal.workspaceId, principal.keyId],
      );
    },
  };
};
