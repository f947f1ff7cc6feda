/**
 * Executes one pipeline_run job: begin → plan → the splits of each stage → finish.
 *
 *   queued ──begin──▶ running ──▶ succeeded | failed | canceled
 *
 * Postgres holds the state; this workflow only decides what happens next. Long stages continue as
 * new between batches of splits, with nothing in flight.
 */
import {
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  continueAsNew,
  defineSignal,
  isCancellation,
  setCurrentDetails,
  setHandler,
} from '@temporalio/workflow';
import type { Failure } from '../core/failures.js';
import { signals } from './contract.js';
import type { FinishInput, RunPipelineInput, SplitBatch } from './contract.js';
import { inLanes } from './lanes.js';
import { ioActivities, quickActivities } from './proxies.js';

export const cancel = defineSignal(signals.cancel);

/** Where to go on in the next execution; undefined when all splits are done. */
type Rest = { stage: number } | undefined;

export async function runPipeline(input: RunPipelineInput): Promise<void> {
  const quick = quickActivities();
  const scope = new CancellationScope();
  setHandler(cancel, () => scope.cancel());

  let end: Omit<FinishInput, 'jobId'>;
  try {
    const rest = await scope.run(() => execute(input));
    if (rest && !scope.consideredCancelled) {
      return await continueAsNew<typeof runPipeline>({ ...input, ...rest });
    }
    end = { status: rest ? 'canceled' : 'succeeded', failure: null };
  } catch (error) {
    if (isCancellation(error)) end = { status: 'canceled', failure: null };
    else if (error instanceof ActivityFailure)
      end = { status: 'failed', failure: failureOf(error) };
    else throw error;
  }
  await CancellationScope.nonCancellable(() => quick.finish({ jobId: input.jobId, ...end }));
  setCurrentDetails(end.failure ? `Failed: ${end.failure.message}` : `The run ${end.status}.`);
}

const execute = async (input: RunPipelineInput): Promise<Rest> => {
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

const failureOf = ({ cause }: ActivityFailure): Failure => {
  const [details] = cause instanceof ApplicationFailure ? (cause.details ?? []) : [];
  if (details !== undefined && details !== null) return details as Failure;
  return {
    code: 'internal',
    class: 'internal',
    message: 'A worker was lost and no attempt came through; see the history of the workflow.',
  };
};
