import type { Knex } from 'knex';
import type { Principal } from '../../core/scope.js';

export interface AuditEntry {
  principal: Principal;
  /** Name of the route. */
  action: string;
  status: number;
  /** Error code of a refusal. */
  code?: string;
  subjectId?: string;
  requestId: string;
  address?: string;
}

export const makeAudit = (db: Knex) => ({
  /** In the transaction of the write it reports, or alone after a refusal. */
  write: async ({ principal, ...entry }: AuditEntry): Promise<void> => {
    await db.raw(
      `insert into audit_log
         (workspace_id, user_id, key_id, action, status, code, subject_id, request_id, address)
       values (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      [
        principal.workspaceId,
        principal.userId,
        principal.keyId,
        entry.action,
        entry.status,
        entry.code ?? null,
        entry.subjectId ?? null,
        entry.requestId,
        entry.address ?? null,
      ],
    );
  },
});
