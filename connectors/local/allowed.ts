import { sep } from 'node:path';
import { RunFailure } from '../../core/failures.js';
import type { LocalDirectories } from '../connector.js';

const within = (path: string, root: string): boolean =>
  path === root || path.startsWith(root.endsWith(sep) ? root : `${root}${sep}`);

/**
 * Whoever may make connections must not read the host by it: an operator says which directories are
 * for that. `real` is what the path leads to, links resolved.
 */
export const requireAllowed = (real: string, { allowed, refused }: LocalDirectories): void => {
  const open = allowed.some((root) => within(real, root));
  const closed = refused.some((root) => within(real, root) || within(root, real));
  if (open && !closed) return;
  throw new RunFailure({
    code: 'config_invalid',
    class: 'config',
    message: closed
      ? 'This directory holds what is not for connections; choose another one.'
      : 'This directory is not open to connections; an operator can open it with FLX_LOCAL_DIRECTORIES.',
  });
};
