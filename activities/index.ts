import { makeBatches } from './batches.js';
import { makeBegin } from './begin.js';
import type { ActivityDeps } from './deps.js';
import { makeFinish } from './finish.js';
import { makeHold } from './hold.js';
import { makeLiveCalls } from './live.js';
import { makeOpenStage } from './openStage.js';
import { makePlan } from './plan.js';
import { makePublish } from './publish.js';
import { makeRetention } from './retention.js';
import { makeSplit } from './split.js';
import { makeStaged } from './staged.js';
import { makeStartOver } from './startOver.js';
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
  ...makeOpenStage(deps),
  ...makeSplit(deps),
  ...makeStartOver(deps),
  ...makePublish(deps),
  ...makeStaged(deps),
  ...makeUndo(deps),
});

/** On the queue streams: what is held open while others work. */
export const makeStreamActivities = (deps: ActivityDeps) => makeHold(deps);

/** On the queue live: what somebody waits for. */
export const makeLiveActivities = (deps: ActivityDeps) => makeLiveCalls(deps);

export type Activities = ReturnType<typeof makeControlActivities> &
  ReturnType<typeof makeBatchActivities> &
  ReturnType<typeof makeStreamActivities> &
  ReturnType<typeof makeLiveActivities>;
