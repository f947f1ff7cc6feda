import { Context } from '@temporalio/activity';
import type { CallContext, WriteResult } from '../connectors/connector.js';
import type { Job } from '../db/models/tables.js';
import type { Repos } from '../db/repos/index.js';
import type { NewSplit } from '../db/repos/splits.js';
import { describeWay } from '../engine/plan.js';
import type { PlannedStage } from '../engine/plan.js';
import type { JobRef, SplitBatch } from '../workflows/contract.js';
import { batchOf } from './batches.js';
import type { ActivityDeps } from './deps.js';
import { withEnds } from './ends.js';
import { reportingFailures } from './failure.js';
import { withHeartbeat } from './heartbeat.js';
import { getJob } from './job.js';
import { makeJobLog } from './jobLog.js';
import { cutStage, newSplits } from './openStage.js';
import { planRun } from './planning.js';
import { countsOf, countsOfCommitted, earlierRun } from './resume.js';
import type { EarlierStage } from './resume.js';
import type { RunPlan } from './runPlan.js';
import { clearDestination } from './startOver.js';

/** A stage that is ready to go: its generation, and its splits where they are known by now. */
interface ReadyStage {
  stage: PlannedStage;
  generation: number;
  splits: readonly NewSplit[] | undefined;
  save: (tx: Repos) => Promise<void>;
}

const nothing = async (): Promise<void> => undefined;

/**
 * A flow cuts a dataset or a snapshot when it is its turn; other sources can be cut right away, and
 * a query is one split whatever it reads.
 */
const cutNow = (stage: PlannedStage): boolean =>
  stage.kind === 'compute' ||
  (stage.input.kind === 'source' && stage.way.consistency !== 'snapshot');

const freshStage = async (
  deps: ActivityDeps,
  job: Job,
  stage: PlannedStage,
  generation: number,
  ctx: CallContext,
): Promise<ReadyStage> => {
  const splits = cutNow(stage)
    ? newSplits(stage.id, await cutStage(deps, job, stage, null, ctx))
    : undefined;
  return { stage, generation, splits, save: nothing };
};

const prepareAgain = (
  deps: ActivityDeps,
  job: Job,
  stage: PlannedStage,
  generation: number,
  ctx: CallContext,
): Promise<ReadonlyMap<number, WriteResult>> => {
  const scope = { workspaceId: job.workspace_id };
  const delivery = { rootJobId: job.root_job_id, stage: stage.id, generation };
  return withEnds(deps, scope, stage, { destination: true }, async ({ destination: end }) => {
    if (!end) return new Map();
    await end.destination.prepare(end.config, stage.way.columns, delivery, ctx);
    return end.kind === 'table' ? end.destination.committed(delivery, ctx) : new Map();
  });
};

/** A stage of a retry: what the run before has brought about of it stays where it can. */
const retriedStage = async (
  deps: ActivityDeps,
  job: Job,
  { stage, generation, splits, verdict }: EarlierStage,
  ctx: CallContext,
): Promise<ReadyStage> => {
  const scope = { workspaceId: job.workspace_id };
  const rows = splits.map(({ split, range }) => ({ stage: stage.id, split, range }));
  if (verdict === 'over') {
    await clearDestination(deps, job, stage, generation + 1, ctx);
    return freshStage(deps, job, stage, generation + 1, ctx);
  }
  const committed =
    verdict === 'resumed'
      ? await prepareAgain(deps, job, stage, generation, ctx)
      : new Map<number, WriteResult>();
  const done = splits.flatMap((row) => {
    if (verdict === 'kept' || row.status === 'succeeded') return [{ row, counts: countsOf(row) }];
    const result = committed.get(row.split);
    return result ? [{ row, counts: countsOfCommitted(row, stage, result) }] : [];
  });
  ctx.log.info(`${stage.id}: ${done.length} of ${splits.length} splits are there already.`);
  return {
    stage,
    generation,
    splits: rows,
    save: async (tx) => {
      for (const { row, counts } of done) {
        const key = { jobId: job.id, stage: stage.id, split: row.split };
        await tx.splits.succeed(scope, key, counts, row.output);
      }
      if (verdict === 'kept') await tx.stages.published(scope, job.id, stage.id);
    },
  };
};

const planStages = async (
  deps: ActivityDeps,
  job: Job,
  ctx: CallContext,
): Promise<{ plan: RunPlan; ready: ReadyStage[] }> => {
  const earlier = await earlierRun(deps.repos, { workspaceId: job.workspace_id }, job);
  const plan = earlier?.plan ?? (await planRun(deps, job, ctx));
  const ready: ReadyStage[] = [];
  for (const stage of plan.stages) {
    ctx.log.info(`Stage ${stage.id}: ${stage.nodes.join(' → ')}, ${describeWay(stage.way)}.`);
    const before = earlier?.stages.find((one) => one.stage.id === stage.id);
    ready.push(
      before
        ? await retriedStage(deps, job, before, ctx)
        : await freshStage(deps, job, stage, 0, ctx),
    );
  }
  return { plan, ready };
};

/** Rows that an earlier run has left are only doubled by a run that appends. */
const appends = ({ stages }: RunPlan): boolean =>
  stages.some(
    ({ output }) =>
      output.kind === 'destination' && (output.end.config as { mode?: string }).mode === 'append',
  );

export const makePlan = (deps: ActivityDeps) => ({
  /** Plans the pinned definition, prepares destinations, and answers the first batch of splits. */
  plan: ({ jobId }: JobRef): Promise<SplitBatch> =>
    reportingFailures(deps.log, () =>
      withHeartbeat(deps.settings.heartbeatMs, async () => {
        const { repos, inTransaction } = deps;
        const job = await getJob(deps, jobId);
        const scope = { workspaceId: job.workspace_id };
        const log = makeJobLog(repos.logs, scope, jobId, null);
        const ctx = { signal: Context.current().cancellationSignal, log };
        try {
          const { plan, ready } = await planStages(deps, job, ctx);
          const partial = appends(plan)
            ? await repos.jobs.partialPredecessor(scope, job)
            : undefined;
          const warnings = partial === undefined ? [] : ['previous_run_partial'];
          if (partial !== undefined) {
            log.warn(
              `Run ${partial} left rows behind (retry or undo it); this run appends its own.`,
            );
          }
          await inTransaction(async (tx) => {
            await tx.jobs.savePlan(scope, jobId, JSON.stringify(plan), warnings);
            const stages = ready.map(({ stage, generation }) => ({ stage: stage.id, generation }));
            await tx.stages.add(scope, jobId, stages);
            for (const { stage, splits, save } of ready) {
              if (!splits) continue;
              await tx.splits.add(scope, jobId, splits);
              await tx.stages.opened(scope, jobId, stage.id);
              await save(tx);
            }
            await log.flushInto(tx);
          });
          return await batchOf(deps, await getJob(deps, jobId), 0);
        } finally {
          await log.flush();
        }
      }),
    ),
});
