import { lstat, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, sep } from 'node:path';
import { connectFailure } from '../../core/connecting.js';
import { RunFailure } from '../../core/failures.js';
import type { OpenDeps } from '../connector.js';

/** A database file that may be opened. */
export interface Place {
  file: string;
  /** The catalog that it is: what DuckDB itself would call it. */
  name: string;
  exists: boolean;
}

const refused = (message: string): RunFailure =>
  new RunFailure({ code: 'config_invalid', class: 'config', message });

const within = (path: string, root: string): boolean =>
  path === root || path.startsWith(root.endsWith(sep) ? root : `${root}${sep}`);

/** The rule of local directories, for one file: an operator says where connections may look. */
const requireAllowed = (
  directory: string,
  { localDirectories: { allowed, refused: closed } }: OpenDeps,
): void => {
  if (closed.some((root) => within(directory, root) || within(root, directory))) {
    throw refused('This directory holds what is not for connections; choose another one.');
  }
  if (allowed.some((root) => within(directory, root))) return;
  throw refused(
    'This directory is not open to connections; an operator can open it with FLX_LOCAL_DIRECTORIES.',
  );
};

const codeOf = (error: unknown): unknown => (error as { code?: unknown } | null)?.code;

const isMissing = (error: unknown): boolean =>
  ['ENOENT', 'ENOTDIR'].includes(String(codeOf(error)));

/** A file of the directory itself; undefined where there is none. */
const plainFile = async (file: string, role: OpenDeps['role']): Promise<boolean> => {
  try {
    if ((await lstat(file)).isFile()) return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw connectFailure('permission_denied', { role, where: file, cause: error });
  }
  throw refused(`${file} is no file: links and special files are not followed.`);
};

/** DuckDB writes beside its file, under names that somebody could have made links of. */
const companions = ['.wal', '.checkpoint.wal', '.recovery.wal'];

/** Those that DuckDB has given away, and those that it would take for schemas. */
const reserved = /^(memory|temp|system|main|information_schema|pg_catalog)$/i;

const catalogOf = (file: string): string => {
  const [stem = ''] = basename(file).split('.');
  const name = stem === '' ? basename(file) : stem;
  return reserved.test(name) ? `${name}_db` : name;
};

/** Where a connection's file really is. It is looked up anew for every call. */
export const placeOf = async (path: string, deps: OpenDeps): Promise<Place> => {
  const { role } = deps;
  const directory = await realpath(dirname(path)).catch((error: unknown) => {
    if (!isMissing(error)) {
      throw connectFailure('permission_denied', { role, where: dirname(path), cause: error });
    }
    throw refused(
      `The directory ${dirname(path)} does not exist on the worker’s host: create or mount it.`,
    );
  });
  requireAllowed(directory, deps);
  if (!(await stat(directory)).isDirectory()) throw refused(`${dirname(path)} is no directory.`);
  const file = join(directory, basename(path));
  const exists = await plainFile(file, role);
  for (const end of companions) await plainFile(`${file}${end}`, role);
  return { file, name: catalogOf(file), exists };
};
