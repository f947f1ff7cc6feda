import type { Knex } from 'knex';
import { AppError, notFound } from '../../core/errors.js';
import type { WorkspaceScope } from '../../core/scope.js';
import { lockDecision } from '../locks.js';
import { Connection } from '../models/tables.js';
import { containsPattern } from '../search.js';
import { refusingDuplicates } from './errors.js';

export interface NewConnection {
  name: string;
  type: string;
  /** JSON text without secrets. */
  config: string;
  credentialId: string | null;
}

export interface ConnectionFilter {
  type?: string;
  search?: string;
}

/** A connection as it is changed. */
export type LockedConnection = Connection & {
  /** Null without a credential. */
  implicit: boolean | null;
  sealed: string | null;
};

export interface ConnectionChanges {
  name: string;
  /** JSON text without secrets. */
  config: string;
  credentialId: string | null;
  /** What it keeps secret has changed. */
  rotated: boolean;
}

const duplicate = 'A connection with this name exists.';

/** What a worker needs to open a connection. */
export interface ConnectionWithSecrets {
  id: string;
  type: string;
  config: string;
  credentialId: string | null;
  sealed: string | null;
}

export const makeConnections = (db: Knex) => {
  const inScope = (scope: WorkspaceScope) =>
    Connection.query(db).where('workspace_id', scope.workspaceId);

  const get = async (scope: WorkspaceScope, id: string): Promise<Connection> => {
    const connection = await inScope(scope).findOne({ id });
    if (!connection) throw notFound();
    return connection;
  };

  const refuseOverQuota = async (scope: WorkspaceScope): Promise<void> => {
    await lockDecision(db, 'connections', scope.workspaceId);
    const { rows } = await db.raw<{ rows: { max_connections: number }[] }>(
      `select max_connections from workspaces w where id = ?
          and max_connections <= (select count(*) from connections c where c.workspace_id = w.id)`,
      [scope.workspaceId],
    );
    if (!rows[0]) return;
    throw new AppError(
      'quota_exceeded',
      `The workspace may have ${rows[0].max_connections} connections (max_connections).`,
    );
  };

  return {
    get,

    find: async (scope: WorkspaceScope, id: string): Promise<Connection | undefined> =>
      inScope(scope).findOne({ id }),

    /** With what it keeps secret; nobody else changes it until the transaction ends. */
    lock: async (scope: WorkspaceScope, id: string): Promise<LockedConnection> => {
      const { rows } = await db.raw<{ rows: LockedConnection[] }>(
        `select c.*, s.implicit, s.sealed
           from connections c
           left join credentials s on s.workspace_id = c.workspace_id and s.id = c.credential_id
          where c.workspace_id = ? and c.id = ?
            for no key update of c`,
        [scope.workspaceId, id],
      );
      if (!rows[0]) throw notFound();
      return rows[0];
    },

    /** `updated_at` moves only if something changes, secrets included. */
    update: async (
      scope: WorkspaceScope,
      id: string,
      { name, config, credentialId, rotated }: ConnectionChanges,
    ): Promise<Connection> =>
      refusingDuplicates('/name', duplicate, async () => {
        const { rows } = await db.raw<{ rows: Connection[] }>(
          `update connections set
             name = :name, config = :config, credential_id = :credentialId,
             updated_at = case
               when :rotated or name <> :name or config <> :config
                 or credential_id is distinct from cast(:credentialId as uuid)
               then now() else updated_at end
           where workspace_id = :workspaceId and id = :id returning *`,
          { workspaceId: scope.workspaceId, id, name, config, credentialId, rotated },
        );
        if (!rows[0]) throw notFound();
        return rows[0];
      }),

    list: async (
      scope: WorkspaceScope,
      { type, search }: ConnectionFilter,
    ): Promise<Connection[]> => {
      const query = inScope(scope);
      if (type !== undefined) void query.where({ type });
      if (search !== undefined) void query.where('name', 'ilike', containsPattern(search));
      return query.orderBy('id', 'desc').limit(10_000);
    },

    create: async (scope: WorkspaceScope, connection: NewConnection): Promise<Connection> => {
      await refuseOverQuota(scope);
      return refusingDuplicates('/name', duplicate, async () =>
        Connection.query(db)
          .insert({
            workspace_id: scope.workspaceId,
            name: connection.name,
            type: connection.type,
            config: connection.config,
            credential_id: connection.credentialId,
          })
          .returning('*'),
      );
    },

    /** Refused while active pipelines use it, unless forced where the workspace allows that. */
    remove: async (
      scope: WorkspaceScope,
      id: string,
      { force }: { force: boolean },
    ): Promise<Date> => {
      const { credential_id } = await get(scope, id);
      const { rows } = await db.raw<{
        rows: { allowed: boolean; id: string | null; name: string }[];
      }>(
        `select w.allow_force_delete as allowed, p.id, p.name
           from workspaces w
           left join (pipeline_connections pc
             join pipelines p on p.workspace_id = pc.workspace_id and p.id = pc.pipeline_id
               and p.status = 'active' and p.deleted_at is null)
             on pc.workspace_id = w.id and pc.connection_id = ?
          where w.id = ? order by p.id limit 20`,
        [id, scope.workspaceId],
      );
      const users = rows.filter((row) => row.id !== null);
      const allowed = rows[0]?.allowed ?? false;
      if (users.length > 0 && !(force && allowed)) {
        const why = force ? ' This workspace does not allow forced deletes.' : '';
        throw new AppError('in_use', `Active pipelines use this connection.${why}`, {
          references: users.map((row) => ({ type: 'pipeline', id: row.id, name: row.name })),
        });
      }
      const deleted = await db.raw<{ rows: { deleted_at: Date }[] }>(
        `delete from connections where workspace_id = ? and id = ?
         returning now()::timestamptz(3) as deleted_at`,
        [scope.workspaceId, id],
      );
      if (credential_id !== null) {
        await db.raw(`delete from credentials where workspace_id = ? and id = ? and implicit`, [
          scope.workspaceId,
          credential_id,
        ]);
      }
      if (!deleted.rows[0]) throw notFound();
      return deleted.rows[0].deleted_at;
    },

    withSecrets: async (
      scope: WorkspaceScope,
      id: string,
    ): Promise<ConnectionWithSecrets | undefined> => {
      const { rows } = await db.raw<{ rows: ConnectionWithSecrets[] }>(
        `select c.id, c.type, c.config, c.credential_id as "credentialId", s.sealed
           from connections c
           left join credentials s on s.workspace_id = c.workspace_id and s.id = c.credential_id
          where c.workspace_id = ? and c.id = ?`,
        [scope.workspaceId, id],
      );
      return rows[0];
    },
  };
};
