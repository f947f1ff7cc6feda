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

export interface StageProgress {
  stage: string;
  splits: number;
  done: number;
  started: number;
  rowsRead: number;
  rowsWritten: number;
  startedAt: Date | null;
  finishedAt: Date | null;
}

export interface PlannedStage {
  id: string;
  nodes: readonly string[];
}

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

const roleMetrics = (type: string, progress: readonly StageProgress[]): NodeRecord['metrics'] => {
  const total = (key: 'rowsRead' | 'rowsWritten') =>
    progress.reduce((sum, stage) => sum + stage[key], 0);
  const role = type.slice(0, type.indexOf('.'));
  return {
    ...(role === 'source'
      ? {}
      : { rowsIn: total(role === 'destination' ? 'rowsWritten' : 'rowsRead') }),
    ...(role === 'destination' ? {} : { rowsOut: total('rowsRead') }),
    rowsFailed: 0,
  };
};

export const nodeRecords = (
  run: { status: JobStatus },
  nodes: readonly NodeOfGraph[],
  stages: readonly PlannedStage[],
  progress: readonly StageProgress[],
): NodeRecord[] =>
  nodes.map(({ id, type }) => {
    const mine = stages.filter((stage) => stage.nodes.includes(id));
    const known = mine.flatMap((stage) => progress.filter((one) => one.stage === stage.id));
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
      metrics: roleMetrics(type, known),
    };
  });
