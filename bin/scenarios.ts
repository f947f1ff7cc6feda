import { ApplicationFailure, CancelledFailure, Context } from '@temporalio/activity';
import type { WorkflowHandleWithStartDetails } from '@temporalio/client';
import type { Activities } from '../activities/index.js';
import type { Failure } from '../core/failures.js';
import { retentionBatch } from '../core/retention.js';
import { jobWorkflows, liveWorkflow, retentionWorkflow, signals } from '../workflows/contract.js';
import type { LiveInput, SplitBatch } from '../workflows/contract.js';

/** One life of a workflow, told by stand-ins for its activities. */
export interface Scenario {
  workflow: string;
  script: () => Partial<Activities>;
  /** Without them: the input of a job. */
  args?: readonly unknown[];
  /** What happens to it from outside. */
  during?: (handle: WorkflowHandleWithStartDetails) => Promise<void>;
}

const runPipeline = jobWorkflows.pipeline_run;

const batch = (changes: Partial<SplitBatch>): SplitBatch => ({
  stage: 'warehouse',
  splits: [0, 1, 2],
  window: 2,
  more: false,
  last: true,
  summary: 'orders → warehouse (stage 1 of 1): 3 splits to go',
  ...changes,
});

const usual = (changes: Partial<Activities>): Partial<Activities> => ({
  begin: async () => ({ go: true }),
  plan: async () => batch({}),
  runSplit: async () => undefined,
  finish: async () => undefined,
  ...changes,
});

const refused: Failure = {
  code: 'destination_constraint_violation',
  class: 'schema',
  nodeId: 'warehouse',
  message: 'A row breaks a constraint of the table; nothing of its split was written.',
};

const lostSnapshot: Failure = {
  code: 'snapshot_lost',
  class: 'transient',
  message: 'The snapshot is gone.',
};

const failing = (failure: Failure): ApplicationFailure =>
  ApplicationFailure.create({
    type: failure.code,
    message: failure.message,
    nonRetryable: true,
    details: [failure],
  });

/** A stage that reads a snapshot, and whose rows are shown in the end. */
const underSnapshot = (changes: Partial<Activities>): Partial<Activities> =>
  usual({
    plan: async () => batch({ splits: [], unopened: true, hold: true }),
    openStage: async () => batch({ publish: ['warehouse'], staged: true }),
    holdSnapshot: untilCancelled,
    startOver: async () => undefined,
    publish: async () => undefined,
    clearStaging: async () => undefined,
    ...changes,
  });

const liveInput: LiveInput = {
  call: 'bindGraph',
  id: '0197f5f6-0000-7000-8000-000000000001',
};

const untilCancelled = async (): Promise<never> => {
  const context = Context.current();
  const timer = setInterval(() => context.heartbeat(), 100);
  try {
    return await context.cancelled;
  } catch {
    throw new CancelledFailure('The activity was cancelled');
  } finally {
    clearInterval(timer);
  }
};

/** Resolves once the scenario has come to the point where something happens to it. */
const gate = () => {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
};

const cancelled = (): Pick<Scenario, 'script' | 'during'> => {
  const underWay = gate();
  return {
    script: () =>
      usual({
        runSplit: async () => {
          underWay.open();
          return untilCancelled();
        },
      }),
    during: async (handle) => {
      await underWay.opened;
      await handle.signal(signals.cancel);
    },
  };
};

const oneNight: Scenario = {
  workflow: retentionWorkflow,
  args: [],
  script: () => ({
    purge: async ({ table }) =>
      table === 'job_logs'
        ? { deleted: retentionBatch, more: Context.current().info.attempt > 1 }
        : { deleted: 0, more: false },
  }),
};

export const scenarios: Readonly<Record<string, Scenario>> = {
  'runPipeline-success': { workflow: runPipeline, script: () => usual({}) },

  'runPipeline-two-stages': {
    workflow: runPipeline,
    script: () =>
      usual({
        plan: async () => batch({ last: false }),
        nextBatch: async () => batch({ stage: 'archive', splits: [0] }),
      }),
  },

  'runPipeline-cancelled-before-begin': {
    workflow: runPipeline,
    script: () => usual({ begin: async () => ({ go: false }) }),
  },

  'runPipeline-failure': {
    workflow: runPipeline,
    script: () =>
      usual({
        runSplit: async ({ split }) => {
          if (split !== 1) return;
          throw failing(refused);
        },
      }),
  },

  'runPipeline-cancel': { workflow: runPipeline, ...cancelled() },

  'runPipeline-continue-as-new': {
    workflow: runPipeline,
    script: () =>
      usual({
        plan: async () => batch({ more: true }),
        nextBatch: async () => batch({ splits: [3, 4] }),
      }),
  },

  'runPipeline-worker-loss': {
    workflow: runPipeline,
    script: () =>
      usual({
        // The first attempt says nothing more, as if its worker had been killed.
        runSplit: async ({ split }) => {
          if (split !== 0 || Context.current().info.attempt > 1) return;
          await Context.current().cancelled.catch(() => undefined);
        },
      }),
  },

  'runPipeline-snapshot': { workflow: runPipeline, script: () => underSnapshot({}) },

  'runPipeline-snapshot-lost': {
    workflow: runPipeline,
    script: () => {
      let startedOver = false;
      return underSnapshot({
        startOver: async () => {
          startedOver = true;
        },
        runSplit: async ({ split }) => {
          if (split === 1 && !startedOver) throw failing(lostSnapshot);
        },
      });
    },
  },

  'runPipeline-holder-lost': {
    workflow: runPipeline,
    script: () => {
      let startedOver = false;
      return underSnapshot({
        startOver: async () => {
          startedOver = true;
        },
        // The first holder says nothing more, as if its worker had been killed.
        holdSnapshot: () =>
          startedOver
            ? untilCancelled()
            : Context.current()
                .cancelled.catch(() => undefined)
                .then(() => undefined),
        runSplit: () => (startedOver ? Promise.resolve() : untilCancelled()),
      });
    },
  },

  'liveCall-success': {
    workflow: liveWorkflow,
    args: [liveInput],
    script: () => ({ answerLive: async () => undefined }),
  },

  'undoRun-success': {
    workflow: jobWorkflows.run_undo,
    script: () => usual({ undo: async () => undefined }),
  },

  'retention-success': oneNight,
  // Since then the tables of live calls are purged, too.
  'retention-live-tables': oneNight,
};
