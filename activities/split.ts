import { Context } from '@temporalio/activity';
import { RunFailure } from '../core/failures.js';
import type { SplitCounts } from '../core/metrics.js';
import { stageInputs } from '../core/plan/stage.js';
import type { WorkspaceScope } from '../core/scope.js';
import type { CallContext, SplitRange } from '../connectors/connector.js';
import type { Job, JobSplit } from '../db/models/tables.js';
import type { Ranges } from '../engine/ends.js';
import { runSplit } from '../engine/runSplit.js';
import type { SplitInput } from '../engine/runSplit.js';
import type { SplitFile, SplitOutcome } from '../engine/outcome.js';
import type { SplitRef } from '../workflows/contract.js';
import type { ActivityDeps } from './deps.js';
import { withEnds } from './ends.js';
import { reportingFailures } from './failure.js';
import { withHeartbeat } from './heartbeat.js';
import { getJob } from './job.js';
import { makeJobLog } from './jobLog.js';
import { datasetFiles } from './openStage.js';
import type { DatasetRange, QueryRange } from './openStage.js';
import { countsOfCommitted } from './resume.js';
import { stageOf } from './runPlan.js';
import type { StageOfRun } from './runPlan.js';
import { makeSplitPorts } from './splitPorts.js';

/** A query over whole inputs reads all files of each, a flow those of its range. */
const filesOf = async (
  deps: ActivityDeps,
  scope: WorkspaceScope,
  job: Job,
  { stage }: StageOfRun,
  range: SplitRange,
): Promise<Record<string, readonly SplitFile[]>> => {
  const files: Record<string, readonly SplitFile[]> = {};
  for (const input of stageInputs(stage)) {
    if (input.kind !== 'dataset') continue;
    files[input.nodeId] =
      stage.kind === 'compute'
        ? await datasetFiles(deps, scope, job.id, input.dataset)
        : (range as DatasetRange).files;
  }
  return files;
};

/** What a split reads of each source. */
const rangesOf = ({ stage }: StageOfRun, range: SplitRange): Ranges => {
  if (stage.kind === 'compute') return (range as Partial<QueryRange>).sources ?? {};
  return stage.input.kind === 'source' ? { [stage.input.nodeId]: range } : {};
};

/** What the destination has of the split already; only asked when there was another attempt. */
const committedBefore = (
  deps: ActivityDeps,
  scope: WorkspaceScope,
  { stage, delivery }: StageOfRun,
  row: JobSplit,
  ctx: CallContext,
): Promise<SplitCounts | undefined> =>
  withEnds(deps, scope, stage, { destination: true }, async ({ destination: end }) => {
    if (end?.kind !== 'table') return undefined;
    const result = (await end.destination.committed(delivery, ctx)).get(row.split);
    return result && countsOfCommitted(row, stage, result);
  });

export const makeSplit = (deps: ActivityDeps) => {
  const perform = async (
    job: Job,
    place: StageOfRun,
    row: JobSplit,
    ctx: CallContext,
  ): Promise<SplitOutcome> => {
    const scope = { workspaceId: job.workspace_id };
    const { stage, delivery } = place;
    const key = { jobId: job.id, stage: stage.id, split: row.split };
    const { attempt } = Context.current().info;
    if (attempt > 1) {
      const counts = await committedBefore(deps, scope, place, row, ctx);
      if (counts) return { counts, already: true, output: null };
    }
    const range = JSON.parse(row.range) as SplitRange;
    const input: SplitInput = {
      ranges: rangesOf(place, range),
      snapshot: place.snapshot,
      files: await filesOf(deps, scope, job, place, range),
    };
    const ports = makeSplitPorts(deps, scope, job, key, attempt, stage.way.maxErrors);
    return withEnds(deps, scope, stage, { sources: true, destination: true }, (ends) =>
      runSplit(
        {
          stage,
          ends,
          input,
          marker: { ...delivery, split: row.split },
          attempt,
          index: place.index,
        },
        { ...deps.engine, ...ports },
        ctx,
      ),
    );
  };

  return {
    /** Moves one split. However often it is called, its rows arrive once. */
    runSplit: ({ jobId, stage: stageId, split }: SplitRef): Promise<void> =>
      reportingFailures(deps.log, () =>
        withHeartbeat(deps.settings.heartbeatMs, async () => {
          const { repos, inTransaction } = deps;
          const { cancellationSignal: signal, info } = Context.current();
          const job = await getJob(deps, jobId);
          const scope = { workspaceId: job.workspace_id };
          const key = { jobId, stage: stageId, split };
          const place = await stageOf(deps, job, stageId);
          const row = await repos.splits.get(scope, key);
          if (!row) throw new RangeError(`no split ${stageId}/${split} in job ${jobId}`);
          if (row.status === 'succeeded') return;
          await repos.splits.start(scope, key, info.attempt);

          const log = makeJobLog(repos.logs, scope, jobId, stageId);
          try {
            const { counts, already, output } = await perform(job, place, row, { signal, log });
            const how = already ? 'had been committed by an earlier attempt' : 'is done';
            log.info(`Split ${split} ${how}: ${counts.rowsOut} rows.`);
            if (counts.rowsFailed > 0) {
              log.warn(`Split ${split}: ${counts.rowsFailed} rows became dead letters.`);
            }
            await inTransaction(async (tx) => {
              const left = output && JSON.stringify(output);
              const first = await tx.splits.succeed(scope, key, counts, left);
              if (first && counts.rowsFailed > 0) await tx.deadLetters.reveal(scope, key);
              await log.flushInto(tx);
            });
          } catch (error) {
            if (error instanceof RunFailure && !signal.aborted) {
              log.warn(`Split ${split}, attempt ${info.attempt}: ${error.failure.message}`);
              throw new RunFailure({ nodeId: stageId, ...error.failure }, { cause: error });
            }
            throw error;
          } finally {
            await log.flush();
          }
        }),
      ),
  };
};
