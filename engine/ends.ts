import type { Destination, Source, SourceRequest } from '../connectors/connector.js';
import type { FilesDestination } from './files/destination.js';
import type { RelationSource } from './files/relation.js';
import type { StageWay } from './plan.js';

/** What a stage reads: a system, or files that DuckDB can read itself. */
export interface OpenSource {
  nodeId: string;
  config: unknown;
  source: Source | RelationSource;
}

/** What a stage writes to: a system, or files that DuckDB has written. */
export type OpenDestination =
  | { kind: 'table'; nodeId: string; config: unknown; destination: Destination }
  | { kind: 'files'; nodeId: string; config: unknown; destination: FilesDestination };

export interface OpenEnds {
  source?: OpenSource;
  destination?: OpenDestination;
}

/** What is asked of a source for a stage, as its way was planned. */
export const requestOf = (
  { config }: OpenSource,
  { bounds, pushed }: Pick<StageWay, 'bounds' | 'pushed'>,
): SourceRequest => ({
  config,
  ...(bounds === undefined ? {} : { bounds }),
  ...(pushed === undefined ? {} : { pushed }),
});

export const isRelationSource = (source: Source | RelationSource): source is RelationSource =>
  'relation' in source;
