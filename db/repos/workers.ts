import type { Knex } from 'knex';

export interface WorkerBeat {
  id: string;
  queues: readonly string[];
  slots: number;
}

/** A worker that has not said anything for this long is not there. */
export const workerGoneAfterSeconds = 15;

/** Workers are the installation's, not a workspace's: no scope. */
export const makeWorkers = (db: Knex) => ({
  beat: async ({ id, queues, slots }: WorkerBeat): Promise<void> => {
    await db.raw(
      `insert into workers (id, queues, slots) values (?, ?, ?)
       on conflict (id) do update set queues = excluded.queues, slots = excluded.slots, seen_at = now()`,
      [id, [...queues], slots],
    );
  },

  leave: async (id: string): Promise<void> => {
    await db.raw('delete from workers where id = ?', [id]);
  },

  /** Which of the queues no live worker serves. */
  unserved: async (queues: readonly string[]): Promise<string[]> => {
    const { rows } = await db.raw<{ rows: { queue: string }[] }>(
      `select queue from unnest(?::text[]) queue
        where not exists (
          select from workers
           where seen_at > now() - ? * interval '1 second' and queue = any(queues))`,
      [[...queues], workerGoneAfterSeconds],
    );
    return rows.map(({ queue }) => queue);
  },

  /** Slots of all live workers on a queue: how wide a run may open its window. */
  slots: async (queue: string): Promise<number> => {
    const { rows } = await db.raw<{ rows: [{ slots: number }] }>(
      `select coalesce(sum(slots), 0)::bigint as slots from workers
        where seen_at > now() - ? * interval '1 second' and ? = any(queues)`,
      [workerGoneAfterSeconds, queue],
    );
    return rows[0].slots;
  },
});
