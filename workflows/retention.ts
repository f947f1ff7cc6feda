/** Deletes what has outlived its keep, table by table, batch by batch (core/retention). */
import { patched, setCurrentDetails } from '@temporalio/workflow';
import { retentionRules } from '../core/retention.js';
import { quickActivities } from './proxies.js';

/** Bounds one night's work and its history; the next night goes on. */
const maxBatchesPerTable = 200;

export async function retention(): Promise<Record<string, number>> {
  const quick = quickActivities();
  const purged: Record<string, number> = {};
  for (const rule of retentionRules) {
    if ('since' in rule && !patched(rule.since)) continue;
    const { table } = rule;
    let rows = 0;
    for (let batch = 0; batch < maxBatchesPerTable; batch++) {
      const { deleted, more } = await quick.purge({ table });
      rows += deleted;
      if (!more) break;
    }
    purged[table] = rows;
    setCurrentDetails(`${table}: ${rows} rows deleted`);
  }
  return purged;
}
