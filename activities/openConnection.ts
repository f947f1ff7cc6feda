import type { WorkspaceScope } from '../core/scope.js';
import type { ConnectionConfig, Connector, OpenDeps } from '../connectors/connector.js';
import type { Role } from '../connectors/manifest.js';
import { makeDatabases } from '../engine/duckdb/databases.js';
import type { ActivityDeps } from './deps.js';

export interface StoredConnection {
  type: string;
  /** Settings and secrets joined. */
  config: ConnectionConfig;
}

interface Sealed {
  credentialId: string | null;
  sealed: string | null;
}

/** What a credential holds, opened here and nowhere earlier. */
export const openSecrets = ({ box }: ActivityDeps, { credentialId, sealed }: Sealed): object =>
  credentialId === null || sealed === null
    ? {}
    : (JSON.parse(
        box.open(sealed, { table: 'credentials', row: credentialId, field: 'sealed' }),
      ) as object);

/** Undefined where there is no such connection. */
export const loadConnection = async (
  deps: ActivityDeps,
  scope: WorkspaceScope,
  connectionId: string,
): Promise<StoredConnection | undefined> => {
  const stored = await deps.repos.connections.withSecrets(scope, connectionId);
  if (!stored) return undefined;
  const config = { ...(JSON.parse(stored.config) as object), ...openSecrets(deps, stored) };
  return { type: stored.type, config };
};

/** The connector of a type, with what it works with on this host. */
export const openAs = (
  { openConnector, net, engine }: ActivityDeps,
  type: string,
  config: ConnectionConfig,
  role: Role,
): Promise<Connector> => {
  const { maxRowBytes, localDirectories } = engine;
  const duckdb = makeDatabases(engine);
  const deps: OpenDeps = { net, role, maxRowBytes, localDirectories, duckdb };
  return openConnector(type, config, deps);
};
