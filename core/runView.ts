import type { SplitCounts } from './metrics.js';
import { isTerminal } from './status.js';
import type { JobStatus } from './status.js';

/** A run node by node, derived from what its splits have done: nothing of this is stored. */
export interface NodeRecord {
  nodeId: string;
  type: string;
  status: JobStatus;
  startedAt: Date | null;
  finishedAt: Date | null;
  metrics: { rowsIn?: number; rowsOut?: number; rowsFailed: number };
}

export interface StageProgress extends SplitCounts {
  stage: string;
  splits: number;
  done: number;
  started: number;
  startedAt: Date | null;
  finishedAt: Date | null;
}

export interface PlannedStage {
  id: string;
  kind: 'flow' | 'compute';
  nodes: readonly string[];
}

/** Rows that queries have read of their sources, by node. */
export type QueriedRows = ReadonlyMap<string, number>;

interface NodeOfGraph {
  id: string;
  type: string;
}

const stageStatus = (run: JobStatus, progress: StageProgress | undefined): JobStatus => {
  if (progress && progress.splits > 0 && progress.done === progress.splits) return 'succeeded';
  const begun = (progress?.started ?? 0) > 0;
  // What a failed run never came to was called off, it did not fail.
  if (isTerminal(run)) return run === 'failed' && !begun ? 'canceled' : run;
  return begun ? 'running' : 'queued';
};

/** The worst of the stages a node takes part in speaks for the node. */
const severity: readonly JobStatus[] = ['succeeded', 'queued', 'running', 'canceled', 'failed'];

const worst = (statuses: readonly JobStatus[]): JobStatus =>
  statuses.reduce((a, b) => (severity.indexOf(b) > severity.indexOf(a) ? b : a));

const earliest = (times: readonly (Date | null)[]): Date | null =>
  times.reduce((a, b) => (a && b ? (a < b ? a : b) : (a ?? b)), null);

const latest = (times: readonly (Date | null)[]): Date | null =>
  times.reduce((a, b) => (a && b ? (a > b ? a : b) : (a ?? b)), null);

interface Passage {
  stage: PlannedStage;
  progress: StageProgress;
}

const roleOf = (type: string | undefined): string => type?.slice(0, type.indexOf('.')) ?? '';

/** A flow reads one source; of a query's sources each was counted by itself, once it was done. */
const rowsOfSource = (
  id: string,
  passages: readonly Passage[],
  queried: QueriedRows,
): { rowsOut?: number } => {
  if (passages.every(({ stage }) => stage.kind !== 'compute')) {
    return { rowsOut: passages.reduce((sum, { progress }) => sum + progress.rowsIn, 0) };
  }
  const rowsOut = queried.get(id);
  return rowsOut === undefined ? {} : { rowsOut };
};

/**
 * A stage counts what enters its first transform and what leaves its last one; what passes between
 * two nodes in the middle nobody counts.
 */
const metricsOf = (
  { id, type }: NodeOfGraph,
  types: ReadonlyMap<string, string>,
  passages: readonly Passage[],
  queried: QueriedRows,
): NodeRecord['metrics'] => {
  const total = (key: keyof SplitCounts, of: readonly Passage[] = passages): number =>
    of.reduce((sum, { progress }) => sum + (progress[key] ?? 0), 0);
  switch (roleOf(type)) {
    case 'source':
      return { ...rowsOfSource(id, passages, queried), rowsFailed: 0 };
    case 'destination':
      return { rowsIn: total('rowsOut'), rowsFailed: total('rowsFailed') };
    default: {
      const beside = ({ nodes }: PlannedStage, step: -1 | 1): string =>
        roleOf(types.get(nodes[nodes.indexOf(id) + step] ?? ''));
      const entered = passages.filter(({ stage }) => beside(stage, -1) !== 'transform');
      const left = passages.filter(({ stage }) => beside(stage, 1) !== 'transform');
      return {
        ...(entered.length > 0 ? { rowsIn: total('rowsIn', entered) } : {}),
        ...(left.length > 0 ? { rowsOut: total('rowsOut', left) } : {}),
        rowsFailed: 0,
      };
    }
  }
};

export const nodeRecords = (
  run: { status: JobStatus },
  nodes: readonly NodeOfGraph[],
  stages: readonly PlannedStage[],
  progress: readonly StageProgress[],
  queried: QueriedRows = new Map(),
): NodeRecord[] => {
  const types = new Map(nodes.map(({ id, type }) => [id, type]));
  return nodes.map(({ id, type }) => {
    const mine = stages.filter((stage) => stage.nodes.includes(id));
    const passages = mine.flatMap((stage) =>
      progress.flatMap((one) => (one.stage === stage.id ? [{ stage, progress: one }] : [])),
    );
    const known = passages.map((passage) => passage.progress);
    const statuses = mine.map((stage) =>
      stageStatus(
        run.status,
        progress.find((one) => one.stage === stage.id),
      ),
    );
    const status = statuses.length > 0 ? worst(statuses) : stageStatus(run.status, undefined);
    return {
      nodeId: id,
      type,
      status,
      startedAt: earliest(known.map((stage) => stage.startedAt)),
      finishedAt:
        status === 'queued' || status === 'running'
          ? null
          : latest(known.map((stage) => stage.finishedAt)),
      metrics: metricsOf({ id, type }, types, passages, queried),
    };
  });
};
