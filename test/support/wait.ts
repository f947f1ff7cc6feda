import { setTimeout as delay } from 'node:timers/promises';

interface WaitOptions {
  timeoutMs: number;
  /** Completes "waited N s for …". */
  what: string;
  everyMs?: number;
}

/**
 * Polls until the condition gives something truthy, and returns that. A condition that throws is
 * not met yet; its last error becomes the cause of the failure.
 */
export async function waitFor<T>(
  condition: () => T | Promise<T>,
  { timeoutMs, what, everyMs = 50 }: WaitOptions,
): Promise<NonNullable<T>> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    let last: unknown;
    try {
      const value = await condition();
      if (value) return value;
      last = value;
    } catch (error) {
      last = error;
    }
    if (Date.now() >= deadline) {
      throw new Error(`waited ${timeoutMs / 1000} s for ${what}; last seen: ${String(last)}`, {
        cause: last,
      });
    }
    await delay(everyMs);
  }
}
