import type { Knex } from 'knex';
import { AppError } from '../../core/errors.js';
import type { Principal } from '../../core/scope.js';

export interface IdempotencyClaim {
  principal: Principal;
  route: string;
  key: string;
  bodyHash: string;
}

export type ClaimResult =
  { state: 'new' } | { state: 'done'; status: number; sealed: string; sameBody: boolean };

const lockNotAvailable = '55P03';

export const makeIdempotency = (db: Knex) => ({
  /**
   * The row commits together with the effect, so a second request blocks on the unique index until
   * the first one has ended either way; the pool's lock timeout (5 s) bounds the wait.
   */
  claim: async ({ principal, route, key, bodyHash }: IdempotencyClaim): Promise<ClaimResult> => {
    const id = [principal.workspaceId, principal.userId, route, key];
    try {
      const claimed = await db.raw<{ rows: unknown[] }>(
        `insert into idempotency_keys as k (workspace_id, user_id, route, key, body_hash)
         values (?, ?, ?, ?, ?)
         on conflict (workspace_id, user_id, route, key) do update
           set body_hash = excluded.body_hash, status = null, answer = null, created_at = now()
           where k.created_at < now() - interval '24 hours'
         returning 1`,
        [...id, bodyHash],
      );
      if (claimed.rows.length > 0) return { state: 'new' };
    } catch (error) {
      if ((error as { code?: string }).code !== lockNotAvailable) throw error;
      throw new AppError(
        'idempotency_in_progress',
        'A request with this Idempotency-Key is still running.',
        { retryAfterSeconds: 5 },
      );
    }
    const { rows } = await db.raw<{
      rows: { body_hash: string; status: number; answer: string }[];
    }>(
      `select body_hash, status, answer from idempotency_keys
        where workspace_id = ? and user_id = ? and route = ? and key = ?`,
      id,
    );
    const done = rows[0];
    if (!done) throw new AppError('idempotency_in_progress', 'Retry in a moment.');
    return {
      state: 'done',
      status: done.status,
      sealed: done.answer,
      sameBody: done.body_hash === bodyHash,
    };
  },

  finish: async (
    { principal, route, key }: IdempotencyClaim,
    status: number,
    sealed: string,
  ): Promise<void> => {
    await db.raw(
      `update idempotency_keys set status = ?, answer = ?
        where workspace_id = ? and user_id = ? and route = ? and key = ?`,
      [status, sealed, principal.workspaceId, principal.userId, route, key],
    );
  },
});
