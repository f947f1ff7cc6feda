export { runPipeline } from './runPipeline.js';
export { undoRun } from './undoRun.js';
export { retention } from './retention.js';
export { liveCall } from './liveCall.js';
