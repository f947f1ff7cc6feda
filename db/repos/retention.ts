import type { Knex } from 'knex';
import { retentionBatch } from '../../core/retention.js';
import type { RetentionRule } from '../../core/retention.js';

export const makeRetention = (db: Knex) => ({
  /** Deletes one batch of what is too old; fewer than a batch means nothing is left. */
  purge: async (rule: RetentionRule): Promise<number> => {
    const { rows } = await db.raw<{ rows: [{ purged: number }] }>(
      `with old as (
         select ctid from ?? where ?? < now() - ? * interval '1 day' limit ?
       ), gone as (
         delete from ?? where ctid in (select ctid from old) returning 1
       )
       select count(*) as purged from gone`,
      [rule.table, rule.column, rule.days, retentionBatch, rule.table],
    );
    return rows[0].purged;
  },
});
