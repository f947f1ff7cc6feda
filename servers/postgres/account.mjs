/**
 * PostgreSQL refuses to run as root. Started by root, it runs as the user `postgres` instead, which
 * must be able to reach its files.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { StartError } from '../errors.mjs';

/** @typedef {{uid: number, gid: number}} Account */

const USER = 'postgres';
const QUICK = { timeout: 30_000, encoding: /** @type {const} */ ('utf8') };

/**
 * @param {string} [pgdata] an existing one keeps the owner it has
 * @returns {Account | null} null: the user that this process runs as
 */
export function serverAccount(pgdata) {
  if (process.getuid?.() !== 0) return null;
  if (pgdata !== undefined && existsSync(pgdata)) {
    const { uid, gid } = statSync(pgdata);
    if (uid !== 0) return { uid, gid };
  }
  return lookUp() ?? create();
}

/** @returns {Account | null} */
function lookUp() {
  const [uid, gid] = ['-u', '-g'].map((flag) => {
    const { status, stdout } = spawnSync('id', [flag, USER], QUICK);
    return status === 0 ? Number(stdout) : 0;
  });
  return uid && gid ? { uid, gid } : null;
}

/** @returns {Account} */
function create() {
  spawnSync('useradd', ['--system', '--user-group', '--no-create-home', USER], QUICK);
  const made = lookUp();
  if (made) return made;
  spawnSync('adduser', ['-S', '-D', '-H', USER], QUICK); // BusyBox
  const account = lookUp();
  if (account) return account;
  throw new StartError(
    `PostgreSQL does not run as root: create a user named ${USER}, or start as another user.`,
  );
}

/**
 * @param {Account | null} account
 * @param {string} directory an existing one
 */
export function canEnter(account, directory) {
  if (account === null) return true;
  const { status } = spawnSync('/bin/sh', ['-c', 'cd "$1"', 'sh', directory], {
    ...QUICK,
    ...account,
    cwd: '/',
    stdio: 'ignore',
  });
  return status === 0;
}

/**
 * @param {string} entry
 * @param {Account | null} account
 */
export function giveTo(entry, account) {
  if (account) chownSync(entry, account.uid, account.gid);
}

/**
 * Where things go that root keeps for the server's user: a place that every user can enter and
 * that survives a restart of the machine.
 */
export function sharedDirectory() {
  const candidates = ['/var/lib/fluxline', path.join(os.tmpdir(), 'fluxline')];
  for (const directory of candidates) {
    try {
      const made = mkdirSync(directory, { recursive: true }) !== undefined;
      if (made) chmodSync(directory, 0o755); // whatever the umask
      return directory;
    } catch {
      continue; // a read-only system: the next candidate
    }
  }
  throw new StartError(`Neither ${candidates.join(' nor ')} can be created; make one writable.`);
}
