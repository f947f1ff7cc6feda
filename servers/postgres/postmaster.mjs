/**
 * `postmaster.pid`: what PostgreSQL says about itself, and what a killed run left in it.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readlinkSync, rmSync } from 'node:fs';
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

/**
 * Sessions of a server that was killed: one in the middle of a long computation notices at its end
 * only, and no new server starts before. They can commit nothing any more. Elsewhere than on Linux
 * this waits for them.
 * @param {string} pgdata
 */
export async function endOrphanedSessions(pgdata) {
  if (process.platform !== 'linux') return;
  const pids = readdirSync('/proc').map(Number).filter(Number.isInteger);
  for (const pid of pids.filter((candidate) => runsOn(candidate, pgdata))) {
    const identity = processIdentity(pid);
    if (identity !== null) await stopProcess({ pid, identity }, STOP_STEPS.immediate);
  }
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
    if (process.platform === 'linux') {
      const inside = readlinkSync(`/proc/${pid}/cwd`) === pgdata;
      return inside && /^[^\0]*postgres/.test(readIfThere(`/proc/${pid}/cmdline`) ?? '');
    }
    return execFileSync('ps', ['-o', 'command=', '-p', String(pid)], {
      encoding: 'utf8',
      timeout: 10_000,
    }).includes(pgdata);
  } catch {
    return false; // ended meanwhile, or another user's
  }
}
