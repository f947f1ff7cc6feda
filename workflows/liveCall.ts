/** One call that somebody waits for: asks an activity on the queue `live`, once. */
import type { LiveInput } from './contract.js';
import { liveActivities } from './proxies.js';

export async function liveCall(input: LiveInput): Promise<void> {
  await liveActivities().answerLive(input);
}
