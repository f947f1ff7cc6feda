import type { Knex } from 'knex';
import { slotTypes } from '../core/jobs.js';
import { channels } from './listen.js';

/**
 * Gives free slots to the first in line and wakes the dispatchers. A slot is the admitted row
 * itself, so none can leak: what has not ended holds it, what has ended does not.
 */
export const admit = async (trx: Knex, workspaceId: string): Promise<readonly string[]> => {
  const { rows } = await trx.raw<{ rows: { id: string }[] }>(
    `with admitted as (
       update jobs set admitted_at = now(), seen_at = now()
        where id in (
          select j.id from jobs j
           where j.workspace_id = :workspaceId and j.status = 'queued' and j.admitted_at is null
             and j.type = any(:slotTypes)
           order by j.priority desc, j.id
           limit (select greatest(0, w.max_concurrent_runs - (
                    select count(*) from jobs held
                     where held.workspace_id = w.id and held.status in ('queued', 'running')
                       and held.admitted_at is not null and held.type = any(:slotTypes)))
                    from workspaces w where w.id = :workspaceId))
       returning id
     )
     select id from admitted, lateral (select pg_notify(:channel, '')) woken`,
    { workspaceId, slotTypes: [...slotTypes], channel: channels.jobs },
  );
  return rows.map(({ id }) => id);
};
