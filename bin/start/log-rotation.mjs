import { copyFileSync, readdirSync, statSync, truncateSync } from 'node:fs';
import path from 'node:path';

const MAX_BYTES = 20 * 1024 * 1024;
const EVERY_MS = 60_000;

/**
 * Copies and truncates: the writers hold their files open, for appending.
 * @public tests call it
 * @param {string} directory
 * @param {number} [maxBytes]
 */
export function rotateLogs(directory, maxBytes = MAX_BYTES) {
  for (const name of readdirSync(directory).filter((entry) => entry.endsWith('.log'))) {
    const file = path.join(directory, name);
    if (statSync(file).size <= maxBytes) continue;
    copyFileSync(file, `${file}.1`);
    truncateSync(file);
  }
}

/**
 * @param {string} directory
 * @param {AbortSignal} leaving
 */
export function keepRotating(directory, leaving) {
  rotateLogs(directory);
  const timer = setInterval(() => rotateLogs(directory), EVERY_MS);
  leaving.addEventListener('abort', () => clearInterval(timer), { once: true });
}
