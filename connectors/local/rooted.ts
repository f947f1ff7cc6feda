/**
 * Ways into a directory that do not lead out of it. Symbolic links are never followed, and a
 * directory that somebody swaps for one while we work is not either: it is opened first, then
 * compared with what its path really is, and used through the opened handle.
 */
import { constants } from 'node:fs';
import { mkdir, open, realpath, stat } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { RunFailure } from '../../core/failures.js';
import type { LocalDirectories } from '../connector.js';
import { requireAllowed } from './allowed.js';
import { codeOf } from './classify.js';

/** An open directory: `at` names an entry of that very directory, wherever it is moved to. */
export interface Rooted {
  at: (name: string) => string;
}

const refused = (message: string): RunFailure =>
  new RunFailure({ code: 'config_invalid', class: 'config', message });

/** Files that are being written. They are nobody's but the writer's. */
export const temporaryName = /^\.flx-[0-9a-f-]{36}\.part$/;

/** The parts of a key; a key that could mean something outside of the root is refused. */
export const keyParts = (key: string): string[] => {
  const parts = key.split('/');
  const odd = parts.some((part) => part === '' || part === '.' || part === '..');
  if (odd || key.includes('\0') || parts.some((part) => temporaryName.test(part))) {
    throw refused(`Not a path within the directory: ${JSON.stringify(key)}.`);
  }
  return parts;
};

/** `/proc/self/fd/N/x` is `x` in the directory that N holds: what openat is elsewhere. */
const entry = (fd: number, path: string): ((name: string) => string) =>
  process.platform === 'linux'
    ? (name) => `/proc/self/fd/${fd}/${name}`
    : (name) => join(path, name);

export const realRoot = async (root: string, directories: LocalDirectories): Promise<string> => {
  try {
    const real = await realpath(root);
    requireAllowed(real, directories);
    if ((await stat(real)).isDirectory()) return real;
  } catch (error) {
    const code = codeOf(error);
    if (code !== 'ENOENT' && code !== 'ENOTDIR') throw error;
  }
  throw refused(`The directory ${root} does not exist on the worker’s host: create or mount it.`);
};

const isThere = async (handle: FileHandle, path: string): Promise<boolean> => {
  const [opened, named, real] = await Promise.all([handle.stat(), stat(path), realpath(path)]);
  return real === path && opened.dev === named.dev && opened.ino === named.ino;
};

const directoryOnly = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/** Missing, a file or a link: O_DIRECTORY and O_NOFOLLOW report them in one of these ways. */
const noDirectory = ['ENOENT', 'ENOTDIR', 'ELOOP'];

/** A directory below the root, to be closed; undefined where there is none. */
export const openDirectory = async (
  real: string,
  parts: readonly string[],
): Promise<(Rooted & { close(): Promise<void> }) | undefined> => {
  const path = join(real, ...parts);
  const handle = await open(path, directoryOnly).catch((error: unknown) => {
    if (noDirectory.includes(codeOf(error))) return undefined;
    throw error;
  });
  if (!handle) return undefined;
  if (await isThere(handle, path).catch(() => false)) {
    return { at: entry(handle.fd, path), close: () => handle.close() };
  }
  await handle.close();
  throw refused(`A symbolic link is in the way, and links are not followed: ${parts.join('/')}.`);
};

/** Works in a directory below the root; undefined where it does not exist. */
export const inDirectory = async <Result>(
  real: string,
  parts: readonly string[],
  work: (directory: Rooted) => Promise<Result>,
): Promise<Result | undefined> => {
  const directory = await openDirectory(real, parts);
  if (!directory) return undefined;
  try {
    return await work(directory);
  } finally {
    await directory.close();
  }
};

/** Makes the directory where it is missing, one level at a time, each within the one before. */
export const makeDirectory = async (real: string, parts: readonly string[]): Promise<void> => {
  for (const [index, name] of parts.entries()) {
    await inDirectory(real, parts.slice(0, index), async ({ at }) => {
      await mkdir(at(name)).catch((error: unknown) => {
        if (codeOf(error) !== 'EEXIST') throw error;
      });
    });
  }
};
