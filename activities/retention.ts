import { retentionBatch, retentionRules } from '../core/retention.js';
import type { RetainedTable } from '../core/retention.js';
import type { ActivityDeps } from './deps.js';
import { reportingFailures } from './failure.js';

/** Well inside the activity's ten seconds. */
const workForMs = 5_000;

export const makeRetention = ({ repos, log }: ActivityDeps) => ({
  /** Batches for a few seconds; the workflow comes back while there is more. */
  purge: ({ table }: { table: RetainedTable }): Promise<{ deleted: number; more: boolean }> =>
    reportingFailures(log, async () => {
      const rule = retentionRules.find((candidate) => candidate.table === table);
      if (!rule) return { deleted: 0, more: false };
      const end = performance.now() + workForMs;
      let deleted = 0;
      while (performance.now() < end) {
        const batch = await repos.retention.purge(rule);
        deleted += batch;
        if (batch < retentionBatch) return { deleted, more: false };
      }
      return { deleted, more: true };
    }),
});
