import { setTimeout as delay } from 'node:timers/promises';
import { StartError } from './errors.mjs';

/**
 * Polls until the condition gives something truthy, and returns that.
 * @template T
 * @param {() => T | Promise<T>} condition
 * @param {{what: string | (() => string), timeoutMs: number, everyMs?: number, signal?: AbortSignal | undefined}} options
 *   `what` is the subject of "… took longer than N s"
 * @returns {Promise<Exclude<T, null | undefined | false>>}
 */
export async function waitUntil(condition, { what, timeoutMs, everyMs = 50, signal }) {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    signal?.throwIfAborted();
    const value = await condition();
    if (value) return /** @type {Exclude<T, null | undefined | false>} */ (value);
    if (Date.now() >= deadline) {
      const subject = typeof what === 'string' ? what : what();
      throw new StartError(`${subject} took longer than ${timeoutMs / 1000} s.`);
    }
    await delay(everyMs, undefined, signal ? { signal } : {});
  }
}
