import { RunFailure } from '../core/failures.js';
import type { Stage, StageEnd } from '../core/plan.js';
import type { WorkspaceScope } from '../core/scope.js';
import type { Connector, Destination, Source } from '../connectors/connector.js';
import type { ActivityDeps } from './deps.js';

export interface Endpoints {
  source: Source;
  destination: Destination;
}

const refused = (nodeId: string, message: string): RunFailure =>
  new RunFailure({ code: 'config_invalid', class: 'config', nodeId, message });

/** The connector of one end of a stage, with its secrets resolved here and nowhere earlier. */
const open = async (
  { repos, box, openConnector, net }: ActivityDeps,
  scope: WorkspaceScope,
  end: StageEnd,
): Promise<Connector> => {
  const { connectionId } = end.config as { connectionId?: string };
  // `source.generate` and `source.inline` are connectors without a connection.
  if (connectionId === undefined) {
    return openConnector(end.type.slice(end.type.indexOf('.') + 1), {}, { net });
  }
  const connection = await repos.connections.withSecrets(scope, connectionId);
  if (!connection) throw refused(end.nodeId, 'The connection of this node no longer exists.');
  const { credentialId, sealed } = connection;
  const secrets =
    credentialId === null || sealed === null
      ? {}
      : (JSON.parse(
          box.open(sealed, { table: 'credentials', row: credentialId, field: 'sealed' }),
        ) as object);
  const config = { ...(JSON.parse(connection.config) as object), ...secrets };
  return openConnector(connection.type, config, { net });
};

/** Opens both ends of a stage for as long as the work takes. */
export const withEndpoints = async <T>(
  deps: ActivityDeps,
  scope: WorkspaceScope,
  stage: Stage,
  work: (endpoints: Endpoints) => Promise<T>,
): Promise<T> => {
  const opened: Connector[] = [];
  try {
    const from = await open(deps, scope, stage.source);
    opened.push(from);
    const to = await open(deps, scope, stage.destination);
    opened.push(to);
    if (!from.source) throw refused(stage.source.nodeId, 'This connection cannot be read from.');
    if (!to.destination) {
      throw refused(stage.destination.nodeId, 'This connection cannot be written to.');
    }
    return await work({ source: from.source, destination: to.destination });
  } finally {
    await Promise.all(opened.map((connector) => connector.close()));
  }
};
