import { RunFailure } from '../core/failures.js';
import type { StageEnd } from '../core/plan/stage.js';
import type { WorkspaceScope } from '../core/scope.js';
import type { Connector } from '../connectors/connector.js';
import type { Role } from '../connectors/manifest.js';
import type { OpenDestination, OpenEnds, OpenSource } from '../engine/ends.js';
import { makeFilesDestination } from '../engine/files/destination.js';
import { makeFilesSource } from '../engine/files/source.js';
import type { Stage } from '../core/plan/stage.js';
import type { ActivityDeps } from './deps.js';

const refused = (nodeId: string, message: string): RunFailure =>
  new RunFailure({ code: 'config_invalid', class: 'config', nodeId, message });

/** The connector of one end of a stage, with its secrets resolved here and nowhere earlier. */
const openConnection = async (
  { repos, box, openConnector, net, engine }: ActivityDeps,
  scope: WorkspaceScope,
  { nodeId, type, config: nodeConfig }: StageEnd,
  role: Role,
): Promise<Connector> => {
  const { connectionId } = nodeConfig as { connectionId?: string };
  const { maxRowBytes, localDirectories } = engine;
  const deps = { net, role, maxRowBytes, localDirectories };
  // `source.generate` and `source.inline` are connectors without a connection.
  if (connectionId === undefined) {
    return openConnector(type.slice(type.indexOf('.') + 1), {}, deps);
  }
  const connection = await repos.connections.withSecrets(scope, connectionId);
  if (!connection) throw refused(nodeId, 'The connection of this node no longer exists.');
  const { credentialId, sealed } = connection;
  const secrets =
    credentialId === null || sealed === null
      ? {}
      : (JSON.parse(
          box.open(sealed, { table: 'credentials', row: credentialId, field: 'sealed' }),
        ) as object);
  const config = { ...(JSON.parse(connection.config) as object), ...secrets };
  return openConnector(connection.type, config, deps);
};

/** Of a connection that holds files the engine makes sources and destinations itself. */
const sourceOf = ({ engine }: ActivityDeps, end: StageEnd, connector: Connector): OpenSource => {
  const { nodeId, config, type } = end;
  const source =
    type === 'source.files'
      ? connector.store && makeFilesSource({ ...engine, store: connector.store })
      : connector.source;
  if (!source) throw refused(nodeId, `This connection cannot be read from as ${type}.`);
  return { nodeId, config, source };
};

const destinationOf = (end: StageEnd, connector: Connector): OpenDestination => {
  const { nodeId, config, type } = end;
  if (type === 'destination.files' && connector.store) {
    const destination = makeFilesDestination({ store: connector.store });
    return { kind: 'files', nodeId, config, destination };
  }
  if (type === 'destination.table' && connector.destination) {
    return { kind: 'table', nodeId, config, destination: connector.destination };
  }
  throw refused(nodeId, `This connection cannot be written to as ${type}.`);
};

export interface WantedEnds {
  source?: boolean;
  destination?: boolean;
}

/** Opens the ends of a stage that it has and that are wanted, for as long as the work takes. */
export const withEnds = async <T>(
  deps: ActivityDeps,
  scope: WorkspaceScope,
  stage: Stage,
  wanted: WantedEnds,
  work: (ends: OpenEnds) => Promise<T>,
): Promise<T> => {
  const opened: Connector[] = [];
  const open = async (end: StageEnd, role: Role): Promise<Connector> => {
    const connector = await openConnection(deps, scope, end, role);
    opened.push(connector);
    return connector;
  };
  const { output } = stage;
  const input = stage.kind === 'flow' ? stage.input : undefined;
  try {
    const ends: OpenEnds = {};
    if (wanted.source && input?.kind === 'source') {
      ends.source = sourceOf(deps, input.end, await open(input.end, 'source'));
    }
    if (wanted.destination && output.kind === 'destination') {
      ends.destination = destinationOf(output.end, await open(output.end, 'destination'));
    }
    return await work(ends);
  } finally {
    await Promise.all(opened.map((connector) => connector.close()));
  }
};
