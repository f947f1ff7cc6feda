/**
 * PGDATA: where it is, whether it can be used, and how a new one is made.
 */
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { hasCode, StartError } from '../errors.mjs';
import { readIfThere, writeWhole } from '../private-files.mjs';
import { canEnter, giveTo, sharedDirectory } from './account.mjs';

/** @typedef {import('./account.mjs').Account} Account */

const OWNER_FILE = 'fluxline-owner';
const DRAFT = '.new-';

/**
 * The wanted directory, unless the server's user cannot reach it: then one of its own below
 * `sharedDirectory()`. A pointer file remembers the choice, so that deleting the data directory
 * really starts afresh, and no second data directory ever meets the first one's database.
 * @param {{wanted: string, pointerFile: string, account: Account | null}} options
 * @returns {string}
 */
export function placePgdata({ wanted, pointerFile, account }) {
  mkdirSync(path.dirname(wanted), { recursive: true });
  const home = realpathSync(path.dirname(wanted));
  const inPlace = path.join(home, path.basename(wanted));
  const remembered = readIfThere(pointerFile)?.trim();
  if (remembered && remembered !== inPlace) return adoptMoved(remembered, home, pointerFile);
  const enterable = canEnter(account, home);
  if (!enterable && existsSync(inPlace)) {
    throw new StartError(`PostgreSQL's user cannot enter ${home} any more; allow that again.`);
  }
  const place = enterable ? inPlace : placeElsewhere(home);
  writeWhole(pointerFile, `${place}\n`);
  return place;
}

/** @param {string} home */
function placeElsewhere(home) {
  const name = path.basename(home).replace(/\W/g, '') || 'data';
  const own = path.join(sharedDirectory(), `${name}-${randomBytes(6).toString('hex')}`);
  mkdirSync(own);
  chmodSync(own, 0o755); // whatever the umask
  writeWhole(path.join(own, OWNER_FILE), `${home}\n`);
  return path.join(own, 'pgdata');
}

/**
 * @param {string} pgdata
 * @param {string} home
 * @param {string} pointerFile
 */
function adoptMoved(pgdata, home, pointerFile) {
  const ownerFile = path.join(path.dirname(pgdata), OWNER_FILE);
  const owner = readIfThere(ownerFile)?.trim();
  if (owner === undefined) {
    throw new StartError(
      `The database of ${home} is gone from ${pgdata}: restore it, or delete ${pointerFile} to start with an empty one.`,
    );
  }
  if (owner === home) return pgdata;
  if (existsSync(owner)) {
    throw new StartError(
      `${home} is a copy of ${owner} without its database (${pgdata}); start from the original.`,
    );
  }
  writeWhole(ownerFile, `${home}\n`); // the data directory was renamed
  return pgdata;
}

/**
 * @param {string} pgdata
 * @param {number} major
 * @returns {boolean} false when there is nothing yet
 */
export function holdsDatabase(pgdata, major) {
  if (!existsSync(pgdata) || entriesOf(pgdata).length === 0) return false;
  const version = readIfThere(path.join(pgdata, 'PG_VERSION'))?.trim();
  const complete = version && existsSync(path.join(pgdata, 'global', 'pg_control'));
  if (!complete) {
    throw new StartError(
      `${pgdata} is not a complete PostgreSQL directory: restore it from a backup, or move it away to start with an empty database.`,
    );
  }
  if (version !== String(major)) {
    throw new StartError(
      `${pgdata} was made by PostgreSQL ${version}, this is ${major}: dump it with the old version and load it into a new directory.`,
    );
  }
  return true;
}

/** @param {string} pgdata */
function entriesOf(pgdata) {
  try {
    return readdirSync(pgdata);
  } catch (error) {
    if (!hasCode(error, 'EACCES') && !hasCode(error, 'ENOTDIR')) throw error;
    throw new StartError(
      `${pgdata} is not a directory of this user; start as its owner or choose another.`,
      { cause: error },
    );
  }
}

/**
 * The initdb of a killed parent may still be writing: its directory is pulled away under it, and if
 * that does not work out, it does no harm beside ours.
 * @param {string} pgdata
 */
function removeDrafts(pgdata) {
  const parent = path.dirname(pgdata);
  const ours = `${path.basename(pgdata)}${DRAFT}`;
  for (const name of readdirSync(parent).filter((entry) => entry.startsWith(ours))) {
    try {
      rmSync(path.join(parent, name), { recursive: true, force: true, maxRetries: 5 });
    } catch {
      continue;
    }
  }
}

/**
 * Made beside its place and moved there when complete: a killed initdb leaves nothing behind that
 * looks like a database.
 * @param {string} pgdata
 * @param {{initdb: string, major: number, account: Account | null, password: string, sync: boolean,
 *   env: NodeJS.ProcessEnv}} options
 */
export function initialise(pgdata, { initdb, major, account, password, sync, env }) {
  removeDrafts(pgdata);
  const draft = `${pgdata}${DRAFT}${randomBytes(4).toString('hex')}`;
  mkdirSync(draft, { mode: 0o700 });
  giveTo(draft, account);
  const passwordFile = `${draft}-password`; // goes with the drafts, should this be killed
  writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 });
  giveTo(passwordFile, account);
  try {
    const args = [
      `--pgdata=${draft}`,
      '--username=postgres',
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--locale=C',
      ...(major >= 17 ? ['--locale-provider=builtin', '--builtin-locale=C.UTF-8'] : []),
      ...(major >= 14 ? ['--no-instructions'] : []),
      ...(sync ? [] : ['--no-sync']),
    ];
    const { status, stderr, error } = spawnSync(initdb, args, {
      ...(account ?? {}),
      cwd: '/',
      env,
      encoding: 'utf8',
      timeout: 120_000,
    });
    if (status !== 0) {
      const reason =
        stderr?.split('\n').find((line) => /error|fatal/i.test(line)) ?? error?.message;
      throw new StartError(`initdb could not create ${pgdata}: ${reason ?? 'it was ended'}.`);
    }
    renameSync(draft, pgdata);
  } finally {
    rmSync(passwordFile, { force: true });
  }
}
