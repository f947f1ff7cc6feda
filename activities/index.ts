import { makeBatches } from './batches.js';
import { makeBegin } from './begin.js';
import type { ActivityDeps } from './deps.js';
import { makeFinish } from './finish.js';
import { makePlan } from './plan.js';
import { makeRetention } from './retention.js';
import { makeSplit } from './split.js';
import { makeUndo } from './undo.js';

/** On the control queue: our own metadata only. */
export const makeControlActivities = (deps: ActivityDeps) => ({
  ...makeBegin(deps),
  ...makeBatches(deps),
  ...makeFinish(deps),
  ...makeRetention(deps),
});

/** On the batch queue: users' systems. */
export const makeBatchActivities = (deps: ActivityDeps) => ({
  ...makePlan(deps),
  ...makeSplit(deps),
  ...makeUndo(deps),
});

export type Activities = ReturnType<typeof makeControlActivities> &
  ReturnType<typeof makeBatchActivities>;
