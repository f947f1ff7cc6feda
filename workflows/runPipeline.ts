/**
 * Executes one pipeline_run job: begin → plan → the splits of each stage → publish → finish.
 *
 *   queued ──begin──▶ running ──▶ succeeded | failed | canceled
 *
 * Postgres holds the state; this workflow only decides what happens next. Long stages continue as
 * new between batches of splits, with nothing in flight. A stage that reads a snapshot starts over
 * when the snapshot is lost.
 */
import { continueAsNew, setCurrentDetails, sleep } from '@temporalio/workflow';
import type { JobInput, SplitBatch } from './contract.js';
import { asJob } from './job.js';
import { inLanes } from './lanes.js';
import { ioActivities, quickActivities } from './proxies.js';
import { isSnapshotLost, whileHeld } from './snapshot.js';

export interface RunPipelineInput extends JobInput {
  /** Set when continued as new: the stage to go on with. */
  stage?: number;
}

/** A snapshot that is lost this often will not last for the next attempt either. */
const mostRestarts = 10;

export async function runPipeline(input: RunPipelineInput): Promise<void> {
  const rest = await asJob(input.jobId, () => execute(input));
  if (rest) await continueAsNew<typeof runPipeline>({ ...input, ...rest });
}

/** The stage to go on with in the next execution; undefined when everything is done. */
const execute = async (input: RunPipelineInput): Promise<{ stage: number } | undefined> => {
  const { jobId } = input;
  const quick = quickActivities();
  const io = ioActivities(input.heartbeatSeconds);

  const first = async (): Promise<SplitBatch | undefined> => {
    const { go } = await quick.begin({ jobId });
    if (!go) return undefined;
    setCurrentDetails('Planning');
    return io.plan({ jobId });
  };

  let stage = input.stage ?? 0;
  let batch = input.stage === undefined ? await first() : await quick.nextBatch({ jobId, stage });
  while (batch) {
    const { more, last, publish: toPublish = [], staged } = await runBatch(input, batch);
    if (more) return { stage };
    await publish(input, toPublish);
    if (staged) await io.clearStaging({ jobId });
    stage += 1;
    batch = last ? undefined : await quick.nextBatch({ jobId, stage });
  }
  return undefined;
};

/** Moves the splits, of a stage that is opened first where that has not happened yet. */
const openAndRun = async (input: JobInput, batch: SplitBatch): Promise<SplitBatch> => {
  const { jobId } = input;
  const io = ioActivities(input.heartbeatSeconds);
  setCurrentDetails(batch.summary);
  const opened = batch.unopened ? await io.openStage({ jobId, stage: batch.stage }) : batch;
  const { stage } = opened;
  setCurrentDetails(opened.summary);
  await inLanes(opened.splits, opened.window, (split) =>
    io.runSplit.executeWithOptions({ summary: `${stage}, split ${split}` }, [
      { jobId, stage, split },
    ]),
  );
  return opened;
};

const runBatch = async (input: JobInput, batch: SplitBatch): Promise<SplitBatch> => {
  if (!batch.hold) return openAndRun(input, batch);
  const ref = { jobId: input.jobId, stage: batch.stage };
  for (let restarts = 0; ; restarts += 1) {
    try {
      return await whileHeld(input, batch.stage, () => openAndRun(input, batch));
    } catch (error) {
      if (!isSnapshotLost(error) || restarts === mostRestarts) throw error;
      setCurrentDetails(`${batch.stage} lost its snapshot and starts over`);
      await sleep(Math.min(2 ** restarts, 30) * 1000);
      await ioActivities(input.heartbeatSeconds).startOver(ref);
    }
  }
};

/** One after the other: each is one short transaction of its destination. */
const publish = async (input: JobInput, stages: readonly string[]): Promise<void> => {
  const io = ioActivities(input.heartbeatSeconds);
  for (const stage of stages) {
    setCurrentDetails(`Publishing ${stage}`);
    await io.publish({ jobId: input.jobId, stage });
  }
};
