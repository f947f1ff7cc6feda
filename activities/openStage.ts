import { Context } from '@temporalio/activity';
import { setTimeout as delay } from 'node:timers/promises';
import { RunFailure } from '../core/failures.js';
import type { WorkspaceScope } from '../core/scope.js';
import type { CallContext, SplitRange } from '../connectors/connector.js';
import type { Job } from '../db/models/tables.js';
import type { NewSplit } from '../db/repos/splits.js';
import { blaming } from '../engine/blame.js';
import { requestOf } from '../engine/ends.js';
import type { OpenSource, Ranges } from '../engine/ends.js';
import type { SplitFile, SplitOutput } from '../engine/outcome.js';
import type { PlannedStage } from '../engine/plan.js';
import type { SplitBatch, StageRef } from '../workflows/contract.js';
import { batchOf, mostSplitsUnderSnapshot } from './batches.js';
import type { ActivityDeps } from './deps.js';
import { withEnds } from './ends.js';
import { reportingFailures } from './failure.js';
import { withHeartbeat } from './heartbeat.js';
import { getJob } from './job.js';
import { makeJobLog } from './jobLog.js';
import { stageOf } from './runPlan.js';

/** What a stage reads of a dataset at a time. */
export interface DatasetRange extends SplitRange {
  files: readonly SplitFile[];
}

/** What a query reads of each of its sources: all there is. */
export interface QueryRange extends SplitRange {
  sources: Ranges;
}

/** Every file that the splits of a stage have left, in their order. */
export const datasetFiles = async (
  { repos }: ActivityDeps,
  scope: WorkspaceScope,
  jobId: string,
  dataset: string,
): Promise<SplitFile[]> => {
  const splits = await repos.splits.ofStage(scope, jobId, dataset);
  return splits.flatMap(({ output }) =>
    output === null ? [] : (JSON.parse(output) as SplitOutput).files,
  );
};

/**
 * About how large splits are to be so that all slots have work to the end: as many as the size asks
 * for, rounded up to a multiple of the slots.
 */
const evenShare = (bytes: number, target: number, slots: number, most: number): number => {
  const count = Math.min(most, Math.ceil(bytes / target / slots) * slots);
  return bytes > target ? Math.ceil(bytes / count) : target;
};

const allOf = async (
  end: OpenSource,
  { way }: PlannedStage,
  ctx: CallContext,
): Promise<SplitRange> => {
  const options = { targetBytes: Infinity, consistency: 'single' as const };
  const { ranges } = await end.source.splits(requestOf(end, way), options, ctx);
  const [range, ...more] = ranges;
  if (!range || more.length > 0) throw new RangeError(`${end.nodeId} was to be one range`);
  return range;
};

/** Everything at once. Which files of a source these are is settled here. */
const wholeOf = (
  deps: ActivityDeps,
  scope: WorkspaceScope,
  stage: PlannedStage,
  ctx: CallContext,
): Promise<QueryRange> =>
  withEnds(deps, scope, stage, { sources: true }, async ({ sources }) => {
    const ranges: [string, SplitRange][] = [];
    for (const end of sources) {
      ranges.push([end.nodeId, await blaming(end.nodeId, () => allOf(end, stage, ctx))]);
    }
    return { sources: Object.fromEntries(ranges) };
  });

/**
 * DuckDB makes files with all its threads; a table is loaded by as many as there are splits, and
 * rows are looked at one by one for the rules that they break.
 */
const makesFiles = ({ output, way: { path } }: PlannedStage): boolean =>
  path.kind === 'duckdb' &&
  path.rejects.length === 0 &&
  (output.kind === 'dataset' || output.end.type === 'destination.files');

/** The ranges of a stage that reads a source, or one dataset, or all of several as a whole. */
export const cutStage = async (
  deps: ActivityDeps,
  job: Job,
  stage: PlannedStage,
  snapshot: string | null,
  ctx: CallContext,
): Promise<readonly SplitRange[]> => {
  const scope = { workspaceId: job.workspace_id };
  if (stage.kind === 'compute') return [await wholeOf(deps, scope, stage, ctx)];
  if (stage.input.kind === 'dataset') {
    const files = await datasetFiles(deps, scope, job.id, stage.input.dataset);
    return files.map((file): DatasetRange => ({ files: [file] }));
  }
  const { consistency, bytes = 0 } = stage.way;
  const { splitBytes } = deps.settings;
  return withEnds(deps, scope, stage, { sources: true }, async ({ sources: [source] }) => {
    if (!source) throw new RangeError(`stage ${stage.id} has no source`);
    const request = requestOf(source, stage.way);
    const slots = Math.max(1, await deps.repos.workers.slots(deps.settings.batchQueue));
    const most = consistency === 'snapshot' ? mostSplitsUnderSnapshot : Infinity;
    const targetBytes = evenShare(bytes, splitBytes, slots, most);
    const options = {
      targetBytes,
      consistency,
      ...(snapshot === null ? {} : { snapshot }),
      uncut: makesFiles(stage),
    };
    const plan = await blaming(source.nodeId, () => source.source.splits(request, options, ctx));
    return plan.ranges;
  });
};

export const newSplits = (stage: string, ranges: readonly SplitRange[]): NewSplit[] =>
  ranges.map((range, split) => ({ stage, split, range: JSON.stringify(range) }));

const snapshotPatienceMs = 60_000;
const lookEveryMs = 20;

const late = (): RunFailure =>
  new RunFailure({
    code: 'snapshot_lost',
    class: 'transient',
    message: 'No worker on the queue streams took a snapshot of the source in time.',
  });

/** Until whoever holds it has written down which one it is. */
const awaitSnapshot = async (
  deps: ActivityDeps,
  job: Job,
  stageId: string,
  { signal }: CallContext,
): Promise<string> => {
  const end = performance.now() + snapshotPatienceMs;
  for (;;) {
    const { snapshot } = await stageOf(deps, job, stageId);
    if (snapshot !== null) return snapshot;
    if (performance.now() > end) throw late();
    await delay(lookEveryMs, undefined, { signal });
  }
};

export const makeOpenStage = (deps: ActivityDeps) => ({
  /** Cuts a stage into splits, now that what it reads is there. */
  openStage: ({ jobId, stage: stageId }: StageRef): Promise<SplitBatch> =>
    reportingFailures(deps.log, () =>
      withHeartbeat(deps.settings.heartbeatMs, async () => {
        const job = await getJob(deps, jobId);
        const scope = { workspaceId: job.workspace_id };
        const { stage, index, opened } = await stageOf(deps, job, stageId);
        if (opened) return batchOf(deps, job, index);
        const log = makeJobLog(deps.repos.logs, scope, jobId, stageId);
        const ctx = { signal: Context.current().cancellationSignal, log };
        try {
          const snapshot =
            stage.way.consistency === 'snapshot'
              ? await awaitSnapshot(deps, job, stageId, ctx)
              : null;
          const ranges = await cutStage(deps, job, stage, snapshot, ctx);
          log.info(`Stage ${stageId}: ${ranges.length} splits.`);
          await deps.inTransaction(async (tx) => {
            await tx.splits.add(scope, jobId, newSplits(stageId, ranges));
            await tx.stages.opened(scope, jobId, stageId);
            await log.flushInto(tx);
          });
          return await batchOf(deps, job, index);
        } finally {
          await log.flush();
        }
      }),
    ),
});
