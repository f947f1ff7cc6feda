import type { WorkspaceScope } from '../../core/scope.js';
import { RunFailure } from '../../core/failures.js';
import type { CallContext, Connector } from '../../connectors/connector.js';
import type { ActivityDeps } from '../deps.js';
import { noLog } from '../jobLog.js';
import { loadConnection, openAs } from '../openConnection.js';
import type { StoredConnection } from '../openConnection.js';

/** What was there when somebody asked, and was deleted since. */
export const gone = (what: string): RunFailure =>
  new RunFailure({
    code: 'schema_drift',
    class: 'config',
    message: `There is no such ${what} any more.`,
  });

export const storedConnection = async (
  deps: ActivityDeps,
  scope: WorkspaceScope,
  connectionId: string,
): Promise<StoredConnection> => {
  const stored = await loadConnection(deps, scope, connectionId);
  if (!stored) throw gone('connection');
  return stored;
};

/** The API asks only for what a type of connections says it can do. */
export const incapable = (what: string): RunFailure =>
  new RunFailure({
    code: 'config_invalid',
    class: 'config',
    message: `This connection has no ${what}.`,
  });

/** Opens a stored connection to look at it, for as long as the work takes. */
export const withConnector = async <T>(
  deps: ActivityDeps,
  scope: WorkspaceScope,
  connectionId: string,
  signal: AbortSignal,
  work: (connector: Connector, ctx: CallContext) => Promise<T>,
): Promise<T> => {
  const { type, config } = await storedConnection(deps, scope, connectionId);
  const connector = await openAs(deps, type, config, 'source');
  try {
    return await work(connector, { signal, log: noLog });
  } finally {
    await connector.close();
  }
};
