import type { Knex } from 'knex';

/** Decisions that count rows and then add one: made by one transaction of a workspace at a time. */
export type Decision = 'admission' | 'pipelines' | 'connections';

/**
 * Held until the transaction ends. Taken before any row it decides about is locked, always: whoever
 * holds a row while waiting for this would deadlock with whoever decides about that row.
 */
export const lockDecision = async (
  trx: Knex,
  decision: Decision,
  workspaceId: string,
): Promise<void> => {
  await trx.raw(`select pg_advisory_xact_lock(hashtextextended(? || ':' || ?, 0))`, [
    decision,
    workspaceId,
  ]);
};
