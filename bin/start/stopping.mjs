import { STOP_STEPS as POSTGRES_STEPS } from '../../servers/postgres/postmaster.mjs';
import { STOP_STEPS as TEMPORAL_STEPS } from '../../servers/temporal.mjs';

/**
 * @typedef {import('../../servers/processes.mjs').StopStep} StopStep
 * @typedef {'worker' | 'api' | 'temporal' | 'postgres'} Name
 */

/**
 * @param {number} waitMs
 * @returns {StopStep[]}
 */
const politely = (waitMs) => [
  { signal: 'SIGTERM', waitMs },
  { signal: 'SIGKILL', waitMs: 5_000 },
];

/**
 * In this order: who works goes before what it works with. A worker may take its time to finish
 * activities; one that a killed start left behind may not, since somebody waits, and no work is
 * lost by it.
 * @type {Record<Name, {steps: StopStep[], leftoverSteps: StopStep[]}>}
 */
export const STOP_ORDER = {
  worker: { steps: politely(35_000), leftoverSteps: politely(5_000) },
  api: { steps: politely(10_000), leftoverSteps: politely(5_000) },
  temporal: { steps: TEMPORAL_STEPS, leftoverSteps: TEMPORAL_STEPS },
  postgres: { steps: POSTGRES_STEPS.fast, leftoverSteps: POSTGRES_STEPS.fast },
};
