import type { Destination, Source, SourceRequest, SplitRange } from '../connectors/connector.js';
import type { DocumentsDestination } from './documents/destination.js';
import type { FilesDestination } from './files/destination.js';
import type { RelationSource } from './files/relation.js';
import type { StageWay } from './plan.js';

/** What a stage reads: a system, or files that DuckDB can read itself. */
export interface OpenSource {
  nodeId: string;
  config: unknown;
  source: Source | RelationSource;
}

/** What a stage writes to: a system, or what takes files or records that DuckDB has written. */
export type OpenDestination =
  | { kind: 'table'; nodeId: string; config: unknown; destination: Destination }
  | { kind: 'files'; nodeId: string; config: unknown; destination: FilesDestination }
  | { kind: 'documents'; nodeId: string; config: unknown; destination: DocumentsDestination };

export interface OpenEnds {
  /** A flow reads one at most, a query any number. */
  sources: readonly OpenSource[];
  destination?: OpenDestination;
}

/** What is read of sources, by their nodes. */
export type Ranges = Readonly<Record<string, SplitRange>>;

export const rangeOf = (ranges: Ranges, { nodeId }: OpenSource): SplitRange => {
  const range = ranges[nodeId];
  if (range) return range;
  throw new RangeError(`nobody has said what is read of ${nodeId}`);
};

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
