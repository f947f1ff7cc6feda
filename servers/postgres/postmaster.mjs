/**
 * `postmaster.pid`: what PostgreSQL says about itself, and what a killed run left in it.
 */
import { execFileSync } from 'node:child_process';
import { readlinkSync, rmSync } from 'node:fs';
import path from 'node:path';
import { readIfThere } from '../private-files.mjs';
import { processIdentity, stopProcess } from '../processes.mjs';

/** @typedef {import('../processes.mjs').StopStep} StopStep */

/** @type {Record<'fast' | 'immediate', StopStep[]>} */
export const STOP_STEPS = {
  // Fast ends the sessions and writes a checkpoint; immediate leaves the work to recovery.
  fast: [
    { signal: 'SIGINT', waitMs: 30_000 },
    { signal: 'SIGQUIT', waitMs: 5_000 },
    { signal: 'SIGKILL', waitMs: 5_000 },
  ],
  immediate: [
    { signal: 'SIGQUIT', waitMs: 5_000 },
    { signal: 'SIGKILL', waitMs: 5_000 },
  ],
};

/**
 * @param {string} pgdata
 * @param {number} pid
 */
export function acceptsConnections(pgdata, pid) {
  const lines = statusLines(pgdata);
  return Number(lines[0]) === pid && lines[7]?.trim() === 'ready';
}

/**
 * Stops a server that a killed parent left running on this directory. Where its process id belongs
 * to somebody else by now, only the file goes: PostgreSQL itself would refuse to start.
 * @param {string} pgdata
 * @param {(line: string) => void} say
 */
export async function stopOrphan(pgdata, say) {
  const pid = Number(statusLines(pgdata)[0]);
  if (!Number.isInteger(pid) || pid <= 0) return;
  const identity = processIdentity(pid);
  if (identity === null) return;
  if (!runsOn(pid, pgdata)) {
    rmSync(path.join(pgdata, 'postmaster.pid'), { force: true });
    return;
  }
  say(`Stopping PostgreSQL (process ${pid}), left running on ${pgdata}`);
  await stopProcess({ pid, identity }, STOP_STEPS.fast);
}

/** @param {string} pgdata */
const statusLines = (pgdata) =>
  (readIfThere(path.join(pgdata, 'postmaster.pid')) ?? '').split('\n');

/**
 * @param {number} pid
 * @param {string} pgdata
 */
function runsOn(pid, pgdata) {
  try {
    if (process.platform === 'linux') return readlinkSync(`/proc/${pid}/cwd`) === pgdata;
    return execFileSync('ps', ['-o', 'command=', '-p', String(pid)], {
      encoding: 'utf8',
      timeout: 10_000,
    }).includes(pgdata);
  } catch {
    return false; // ended meanwhile, or another user's
  }
}
