/**
 * Executes one pipeline_run job: begin → plan → the splits of each stage → finish.
 *
 *   queued ──begin──▶ running ──▶ succeeded | failed | canceled
 *
 * Postgres holds the state; this workflow only decides what happens next. Long stages continue as
 * new between batches of splits, with nothing in flight.
 */
import { continueAsNew, setCurrentDetails } from '@temporalio/workflow';
import type { JobInput, SplitBatch } from './contract.js';
import { asJob } from './job.js';
import { inLanes } from './lanes.js';
import { ioActivities, quickActivities } from './proxies.js';

export interface RunPipelineInput extends JobInput {
  /** Set when continued as new: the stage to go on with. */
  stage?: number;
}

export async function runPipeline(input: RunPipelineInput): Promise<void> {
  const rest = await asJob(input.jobId, () => execute(input));
  if (rest) await continueAsNew<typeof runPipeline>({ ...input, ...rest });
}

/** The stage to go on with in the next execution; undefined when all splits are done. */
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
    const name = batch.stage;
    setCurrentDetails(batch.summary);
    await inLanes(batch.splits, batch.window, (split) =>
      io.runSplit.executeWithOptions({ summary: `${name}, split ${split}` }, [
        { jobId, stage: name, split },
      ]),
    );
    if (batch.more) return { stage };
    stage += 1;
    batch = batch.last ? undefined : await quick.nextBatch({ jobId, stage });
  }
  return undefined;
};
