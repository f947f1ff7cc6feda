import type { LiveCalls } from '../../core/live.js';
import type { WorkspaceScope } from '../../core/scope.js';
import { surveyBeginning } from '../../engine/files/preview.js';
import { typeWord } from '../../engine/files/fileRange.js';
import type { ActivityDeps } from '../deps.js';
import { listLevel } from './listLevel.js';
import { incapable, withConnector } from './withConnector.js';

/** A page that is not full yet by then is given out as it is. */
const listForMs = 15_000;

export const listFiles = (
  deps: ActivityDeps,
  scope: WorkspaceScope,
  { connectionId, ...wanted }: LiveCalls['listFiles']['asks'],
  signal: AbortSignal,
): Promise<LiveCalls['listFiles']['answers']> =>
  withConnector(deps, scope, connectionId, signal, async ({ store }, ctx) => {
    if (!store) throw incapable('files');
    const until = Date.now() + listForMs;
    const { files, ...level } = await listLevel(store, { ...wanted, until }, ctx);
    return {
      ...level,
      files: files.map(({ key, bytes, modifiedAt }) => ({
        key,
        bytes,
        modifiedAt: modifiedAt.toISOString(),
      })),
    };
  });

export const fileSchema = (
  deps: ActivityDeps,
  scope: WorkspaceScope,
  { connectionId, path, format }: LiveCalls['fileSchema']['asks'],
  signal: AbortSignal,
): Promise<LiveCalls['fileSchema']['answers']> =>
  withConnector(deps, scope, connectionId, signal, async ({ store }, ctx) => {
    if (!store) throw incapable('files');
    const wanted = format === undefined ? { path } : { path, format };
    const found = await surveyBeginning({ ...deps.engine, store }, wanted, ctx);
    if (!found) return null;
    const columns = found.columns.map(({ name, type, nullable }) => ({
      name,
      type: typeWord(type),
      nullable,
    }));
    return { format: found.format, columns };
  });
