/** One stage as a run would plan and do it: prepare, cut, move, publish. */
import { randomUUID } from 'node:crypto';
import type { CallContext } from '../../../connectors/connector.js';
import type { FlowStage, Step } from '../../../core/plan/stage.js';
import { requestOf } from '../../../engine/ends.js';
import type { OpenDestination, OpenSource } from '../../../engine/ends.js';
import { describeWay } from '../../../engine/plan.js';
import { prepareStage } from '../../../engine/prepare.js';
import type { DeadLetter } from '../../../engine/rescue/deadLetters.js';
import { runSplit } from '../../../engine/runSplit.js';
import type { World } from './world.js';

export interface Load {
  from: OpenSource;
  steps: readonly Step[];
  to: OpenDestination;
}

export interface Carried {
  /** As the log of a run names it. */
  way: string;
  /** Rows that were set aside. */
  letters: readonly DeadLetter[];
}

export const context: CallContext = {
  signal: new AbortController().signal,
  log: { info: () => undefined, warn: () => undefined },
};

const stageOf = ({ from, steps, to }: Load): FlowStage => ({
  kind: 'flow',
  id: 'stage',
  nodes: [from.nodeId, ...steps.map(({ nodeId }) => nodeId), to.nodeId],
  steps,
  input: { kind: 'source', nodeId: from.nodeId, end: { ...from, type: 'source' } },
  output: { kind: 'destination', end: { ...to, type: 'destination' } },
});

const mostErrors = 1_000;

export const carry = async ({ services, duckdb }: World, load: Load): Promise<Carried> => {
  const { from, to } = load;
  const stage = stageOf(load);
  const ends = { sources: [from], destination: to };
  const delivery = { rootJobId: randomUUID(), stage: stage.id, generation: 0 };
  const scratch = await services.scratch('plan');
  const settings = {
    duckdb,
    now: '2026-01-01T00:00:00Z',
    directory: scratch.path,
    splitBytes: 64 * 1024 * 1024,
  };
  const work = {
    stage,
    ends,
    datasets: new Map(),
    bounds: undefined,
    delivery,
    maxErrors: mostErrors,
  };
  const way = await prepareStage(work, settings, context);
  await scratch.remove();
  const options = { targetBytes: settings.splitBytes, consistency: way.consistency };
  const { ranges } = await from.source.splits(requestOf(from, way), options, context);
  const letters: DeadLetter[] = [];
  for (const [split, range] of ranges.entries()) {
    const ports = {
      progress: () => undefined,
      noteLoss: async () => undefined,
      deadLetters: {
        allowance: async () => mostErrors,
        save: async (saved: readonly DeadLetter[]) => {
          letters.push(...saved);
          return Infinity;
        },
      },
    };
    await runSplit(
      {
        stage: { ...stage, way },
        ends,
        input: { ranges: { [from.nodeId]: range }, snapshot: null, files: {} },
        marker: { ...delivery, split },
        attempt: 1,
        index: 0,
      },
      { ...services, ...ports },
      context,
    );
  }
  if (to.kind === 'files') {
    const winners = ranges.map((_, split) => ({ split, attempt: 1 }));
    await to.destination.publish(to.config, delivery, winners, context);
  }
  return { way: describeWay(way), letters };
};
