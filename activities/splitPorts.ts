import type { WorkspaceScope } from '../core/scope.js';
import type { SplitCounts } from '../core/metrics.js';
import type { Job } from '../db/models/tables.js';
import type { SplitKey } from '../db/repos/splits.js';
import type { SplitPorts } from '../engine/runSplit.js';
import { ruleFailed } from '../engine/rescue/deadLetters.js';
import type { ActivityDeps } from './deps.js';

const progressEveryMs = 2_000;

/** Hands over the latest of what it is told, at most every two seconds. */
const throttled = (write: (counts: SplitCounts) => Promise<void>) => {
  let due = performance.now() + progressEveryMs;
  let writing = false;
  return (counts: SplitCounts): void => {
    if (writing || performance.now() < due) return;
    due = performance.now() + progressEveryMs;
    writing = true;
    // Counters on their way are a courtesy; the final ones are written by the activity itself.
    void write(counts)
      .catch(() => undefined)
      .finally(() => {
        writing = false;
      });
  };
};

/** What the engine needs from our database while it works on one split. */
export const makeSplitPorts = (
  { repos, inTransaction }: ActivityDeps,
  scope: WorkspaceScope,
  job: Job,
  key: SplitKey,
  attempt: number,
  maxErrors: number,
): SplitPorts => {
  return {
    progress: throttled(async (counts) => {
      await repos.splits.progress(scope, key, attempt, counts);
      await repos.logs.seen(scope, key.jobId);
    }),
    noteLoss: (loss) => repos.splits.noteLoss(scope, key, loss),
    deadLetters: {
      allowance: async () => maxErrors - (await repos.deadLetters.errorsElsewhere(scope, key)),
      save: async (letters) => {
        // The first attempt has nobody's letters to replace.
        if (letters.length === 0 && attempt === 1) return maxErrors;
        const { value: left } = await inTransaction(async (tx) => {
          // One split after the other: each sees what those before it have lost.
          await tx.stages.lock(scope, key.jobId, key.stage);
          await tx.deadLetters.replace(
            scope,
            { ...key, pipelineId: job.pipeline_id },
            letters.map(({ row, column, ...letter }) => ({
              ...letter,
              position: row,
              column: column ?? null,
            })),
          );
          const others = await tx.deadLetters.errorsElsewhere(scope, key);
          const ours = letters.filter(({ code }) => code !== ruleFailed).length;
          return maxErrors - others - ours;
        });
        return left;
      },
    },
  };
};
