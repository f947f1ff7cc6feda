import { Context } from '@temporalio/activity';
import type { UndoResult } from '../connectors/connector.js';
import type { JobRef } from '../workflows/contract.js';
import type { ActivityDeps } from './deps.js';
import { withEnds } from './ends.js';
import { reportingFailures } from './failure.js';
import { withHeartbeat } from './heartbeat.js';
import { getJob } from './job.js';
import { makeJobLog } from './jobLog.js';
import { planOf } from './runPlan.js';

const add = (a: UndoResult, b: UndoResult): UndoResult => ({
  splits: a.splits + b.splits,
  rowsRemoved: a.rowsRemoved + b.rowsRemoved,
  rowsMissing: a.rowsMissing + b.rowsMissing,
});

export const makeUndo = (deps: ActivityDeps) => ({
  /** Takes back the chain that the job names. A repeated call finds no markers and removes nothing. */
  undo: ({ jobId }: JobRef): Promise<void> =>
    reportingFailures(deps.log, () =>
      withHeartbeat(deps.settings.heartbeatMs, async () => {
        const { repos, inTransaction } = deps;
        const undo = await getJob(deps, jobId);
        const root = await getJob(deps, undo.undo_of ?? '');
        const scope = { workspaceId: undo.workspace_id };
        // Said in the log of the run that it is about: there is where its user looks.
        const log = makeJobLog(repos.logs, scope, root.id, null);
        const ctx = { signal: Context.current().cancellationSignal, log };
        let result: UndoResult = { splits: 0, rowsRemoved: 0, rowsMissing: 0 };
        try {
          // A run that failed before it had a plan has written nothing.
          for (const stage of root.plan === null ? [] : planOf(root).stages) {
            if (stage.output.kind === 'dataset') continue;
            const delivery = { rootJobId: root.id, stage: stage.id, generation: 0 };
            const one = await withEnds(
              deps,
              scope,
              stage,
              { destination: true },
              async ({ destination: end }) => end?.destination.undo(end.config, delivery, ctx),
            );
            if (!one) continue;
            log.info(
              `Undo of ${stage.id}: ${one.rowsRemoved} rows of ${one.splits} splits removed.`,
            );
            if (one.rowsMissing > 0) {
              log.warn(
                `${one.rowsMissing} rows had been changed or removed since; they stay as they are.`,
              );
            }
            result = add(result, one);
          }
          await inTransaction((tx) => tx.jobs.saveUndo(scope, undo, JSON.stringify(result)));
        } finally {
          await log.flush();
        }
      }),
    ),
});
