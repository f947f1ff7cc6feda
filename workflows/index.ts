export { runPipeline } from './runPipeline.js';
export { retention } from './retention.js';
