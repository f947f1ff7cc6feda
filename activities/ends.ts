import { RunFailure } from '../core/failures.js';
import { stageInputs } from '../core/plan/stage.js';
import type { Stage, StageEnd } from '../core/plan/stage.js';
import type { WorkspaceScope } from '../core/scope.js';
import type { Connector } from '../connectors/connector.js';
import type { Role } from '../connectors/manifest.js';
import type { OpenDestination, OpenEnds, OpenSource } from '../engine/ends.js';
import { makeDocumentDestination } from '../engine/documents/destination.js';
import { makeDocumentSource } from '../engine/documents/source.js';
import { makeFilesDestination } from '../engine/files/destination.js';
import { makeFilesSource } from '../engine/files/source.js';
import type { ActivityDeps } from './deps.js';
import { loadConnection, openAs } from './openConnection.js';

const refused = (nodeId: string, message: string): RunFailure =>
  new RunFailure({ code: 'config_invalid', class: 'config', nodeId, message });

/** The connector of one end of a stage, with its secrets resolved here and nowhere earlier. */
const openEnd = async (
  deps: ActivityDeps,
  scope: WorkspaceScope,
  { nodeId, type, config: nodeConfig }: StageEnd,
  role: Role,
): Promise<Connector> => {
  const { connectionId } = nodeConfig as { connectionId?: string };
  // `source.generate` and `source.inline` are connectors without a connection.
  if (connectionId === undefined) {
    return openAs(deps, type.slice(type.indexOf('.') + 1), {}, role);
  }
  const connection = await loadConnection(deps, scope, connectionId);
  if (!connection) throw refused(nodeId, 'The connection of this node no longer exists.');
  return openAs(deps, connection.type, connection.config, role);
};

const isDocuments = (type: string): boolean => /\.(http|topic)$/.test(type);

/** Of a connection that holds files or records the engine makes sources and destinations itself. */
const sourceFor = (
  { engine }: ActivityDeps,
  type: string,
  { store, documents, source }: Connector,
): OpenSource['source'] | undefined => {
  if (type === 'source.files') return store && makeFilesSource({ ...engine, store });
  if (!isDocuments(type)) return source;
  return documents?.source && makeDocumentSource(documents.source, engine);
};

const sourceOf = (deps: ActivityDeps, end: StageEnd, connector: Connector): OpenSource => {
  const { nodeId, config, type } = end;
  const source = sourceFor(deps, type, connector);
  if (!source) throw refused(nodeId, `This connection cannot be read from as ${type}.`);
  return { nodeId, config, source };
};

const destinationOf = (end: StageEnd, connector: Connector): OpenDestination => {
  const { nodeId, config, type } = end;
  const { store, documents, destination } = connector;
  if (type === 'destination.files' && store) {
    return { kind: 'files', nodeId, config, destination: makeFilesDestination({ store }) };
  }
  if (type === 'destination.table' && destination) {
    return { kind: 'table', nodeId, config, destination };
  }
  if (isDocuments(type) && documents?.destination) {
    const sending = makeDocumentDestination(documents.destination);
    return { kind: 'documents', nodeId, config, destination: sending };
  }
  throw refused(nodeId, `This connection cannot be written to as ${type}.`);
};

export interface WantedEnds {
  sources?: boolean;
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
    const connector = await openEnd(deps, scope, end, role);
    opened.push(connector);
    return connector;
  };
  const { output } = stage;
  try {
    const sources: OpenSource[] = [];
    for (const input of wanted.sources ? stageInputs(stage) : []) {
      if (input.kind !== 'source') continue;
      sources.push(sourceOf(deps, input.end, await open(input.end, 'source')));
    }
    const ends: OpenEnds = { sources };
    if (wanted.destination && output.kind === 'destination') {
      ends.destination = destinationOf(output.end, await open(output.end, 'destination'));
    }
    return await work(ends);
  } finally {
    await Promise.all(opened.map((connector) => connector.close()));
  }
};
