import type { Stage } from '../core/plan/stage.js';
import type { Bounds, BulkFormat, Consistency, Pushed } from '../connectors/connector.js';
import type { Rejects } from './transform/compile.js';
import type { RelationColumn } from './transform/relation.js';

/** One SELECT per split, in a process of its own. */
export interface DuckPath {
  kind: 'duckdb';
  prelude: readonly string[];
  /** What the inputs are called, by node. */
  views: Readonly<Record<string, string>>;
  sql: string;
  rejects: readonly Rejects[];
}

/** Bytes go straight from source to destination, whatever the source evaluates for us. */
export interface CopyPath {
  kind: 'copy';
  format: BulkFormat;
}

/** How rows travel through a stage. */
export type Path = CopyPath | DuckPath;

/** What planning a run found out about a stage, and decided. */
export interface StageWay {
  path: Path;
  consistency: Consistency;
  /** About how much the source holds. */
  bytes?: number;
  bounds?: Bounds | undefined;
  pushed?: Pushed | undefined;
  /** Rows as they come into the steps, by the node they come from. */
  inputs: Readonly<Record<string, readonly RelationColumn[]>>;
  /** Rows as they leave the stage. */
  columns: readonly RelationColumn[];
  /** The destination makes its rows visible in the end, all at once. */
  publishes: boolean;
  /** How many rows may fail before the run does. */
  maxErrors: number;
}

export type PlannedStage = Stage & { way: StageWay };

/** Words for the log and the Web UI. */
export const describeWay = ({ path, pushed, consistency }: StageWay): string => {
  const how =
    path.kind === 'duckdb'
      ? 'through DuckDB'
      : path.format === 'csv'
        ? 'as csv, straight through'
        : 'as binary, straight through';
  const where = pushed ? ', transforms pushed into the source' : '';
  const words: Readonly<Record<Consistency, string>> = {
    snapshot: 'one snapshot',
    per_row: 'each row once',
    single: 'one read',
  };
  return `${how}${where} (${words[consistency]})`;
};
