import { referenceNotFound } from '../../core/errors.js';
import type { WorkspaceScope } from '../../core/scope.js';
import type { Repos } from '../../db/repos/index.js';
import type { Referable } from '../../db/repos/references.js';

const words: Readonly<Record<Referable, string>> = {
  projects: 'project',
  folders: 'folder',
  environments: 'environment',
  pipelines: 'pipeline',
};

/** A body or query that names something must name something of its own workspace. */
export const refuseUnknown = async (
  repos: Repos,
  scope: WorkspaceScope,
  what: Referable,
  id: string | null | undefined,
  pointer: string,
): Promise<void> => {
  if (id === null || id === undefined) return;
  if (await repos.references.exists(scope, what, id)) return;
  throw referenceNotFound(pointer, words[what]);
};
