/**
 * A lock that one process holds: a file naming it, made by a hard link (which is atomic). The lock
 * of a process that no longer runs is taken over.
 */
import { randomBytes } from 'node:crypto';
import { linkSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { hasCode } from './errors.mjs';
import { readIfThere, writeWhole } from './private-files.mjs';
import { isRunning, processIdentity, thisProcess } from './processes.mjs';
import { waitUntil } from './waiting.mjs';

/**
 * @typedef {import('./processes.mjs').ProcessRef} ProcessRef
 * @typedef {ProcessRef & {stopping?: boolean, launcher?: ProcessRef}} Holder
 *   `launcher` is the process whose end makes the holder stop, where there is one
 * @typedef {{release: () => void, announceStopping: () => void}} Lock
 */

/**
 * @param {string} file
 * @param {{launcherPid?: number | undefined}} [options]
 * @returns {{lock: Lock} | {heldBy: Holder}}
 */
export function tryLock(file, { launcherPid } = {}) {
  const launcherIdentity = launcherPid === undefined ? null : processIdentity(launcherPid);
  /** @type {Holder} */
  const self = {
    ...thisProcess(),
    ...(launcherPid !== undefined &&
      launcherIdentity !== null && { launcher: { pid: launcherPid, identity: launcherIdentity } }),
  };
  const content = JSON.stringify(self);
  const draft = `${file}.${process.pid}-${randomBytes(4).toString('hex')}`;
  writeFileSync(draft, content, { flag: 'wx' });
  try {
    for (;;) {
      if (linked(draft, file)) return { lock: held(file, self) };
      const seen = readIfThere(file);
      if (seen === null) continue;
      const holder = parseHolder(seen);
      if (holder && isRunning(holder)) return { heldBy: holder };
      removeStale(file, seen, draft);
    }
  } finally {
    rmSync(draft, { force: true });
  }
}

/**
 * @param {string} file
 * @param {{what: string, timeoutMs: number, onWait: (holder: Holder) => void}} options
 * @returns {Promise<Lock>}
 */
export async function waitForLock(file, { what, timeoutMs, onWait }) {
  let announced = false;
  return waitUntil(
    () => {
      const attempt = tryLock(file);
      if ('lock' in attempt) return attempt.lock;
      if (!announced) onWait(attempt.heldBy);
      announced = true;
      return null;
    },
    { what, timeoutMs, everyMs: 200 },
  );
}

/**
 * @param {string} from
 * @param {string} to
 */
function linked(from, to) {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  }
}

/**
 * One at a time: between looking at a stale lock and removing it, nobody else may have removed it
 * and taken the lock. The dead holder cannot change it any more.
 * @param {string} file
 * @param {string} stale
 * @param {string} draft ours, to be linked
 */
function removeStale(file, stale, draft) {
  const turn = `${file}.takeover`;
  if (!linked(draft, turn)) {
    const seen = readIfThere(turn);
    const holder = seen === null ? null : parseHolder(seen);
    if (seen === null || (holder && isRunning(holder))) return;
    moveAway(turn, seen, `${draft}.stale`); // killed within its turn
    return;
  }
  try {
    if (readIfThere(file) === stale) rmSync(file, { force: true });
  } finally {
    rmSync(turn, { force: true });
  }
}

/**
 * Renaming decides who removes it; who finds to have renamed a fresh one puts it back.
 * @param {string} file
 * @param {string} stale
 * @param {string} aside
 */
function moveAway(file, stale, aside) {
  try {
    renameSync(file, aside);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return;
    throw error;
  }
  if (readIfThere(aside) !== stale) linked(aside, file);
  rmSync(aside, { force: true });
}

/**
 * @param {string} text
 * @returns {Holder | null}
 */
function parseHolder(text) {
  try {
    const holder = /** @type {Partial<Holder> | null} */ (JSON.parse(text));
    const valid = typeof holder?.pid === 'number' && typeof holder.identity === 'string';
    return valid ? /** @type {Holder} */ (holder) : null;
  } catch {
    return null;
  }
}

/**
 * @param {string} file
 * @param {Holder} self
 * @returns {Lock}
 */
function held(file, self) {
  return {
    announceStopping: () => {
      try {
        writeWhole(file, JSON.stringify({ ...self, stopping: true }));
      } catch {
        // Only a courtesy to the next start: nothing that may keep this one from stopping.
      }
    },
    release: () => {
      const holder = parseHolder(readIfThere(file) ?? '');
      const ours = holder?.pid === self.pid && holder.identity === self.identity;
      if (ours) rmSync(file, { force: true });
    },
  };
}
