import { Type } from '@sinclair/typebox';
import type { Static } from '@sinclair/typebox';
import type { Failure } from '../../core/failures.js';
import type { RunMetrics } from '../../core/metrics.js';
import { sumSplits } from '../../core/metrics.js';
import { jobStatuses } from '../../core/status.js';
import type { Job } from '../../db/models/tables.js';
import type { Run } from '../../db/repos/runs.js';
import { id } from './id.js';
import { nullable } from './objects.js';
import { oneOf } from './text.js';
import { showTimestamp, showTimestampOrNull, timestamp } from './timestamp.js';

export const runStatus = oneOf(jobStatuses);

const count = Type.Integer({ minimum: 0 });

const metrics = Type.Object({
  rowsRead: count,
  rowsWritten: count,
  rowsFiltered: nullable(count),
  rowsFailed: count,
  bytesRead: count,
  bytesWritten: count,
  bytesShuffled: count,
});

const runError = Type.Object({
  code: Type.String(),
  message: Type.String(),
  nodeId: Type.Optional(Type.String()),
  retryable: Type.Boolean(),
  attempts: Type.Integer(),
});

const fields = {
  id,
  pipelineId: nullable(id),
  pipelineName: nullable(Type.String()),
  pipelineVersion: nullable(Type.Integer()),
  status: runStatus,
  queuedAt: timestamp,
  startedAt: nullable(timestamp),
  finishedAt: nullable(timestamp),
  durationSeconds: nullable(Type.Integer()),
  metrics,
  error: nullable(runError),
  warnings: Type.Array(Type.String()),
};

/** A run in a list. */
export const runItem = Type.Object({ ...fields, trigger: Type.String() });

/** A run by itself. */
export const runDetail = Type.Object({
  ...fields,
  trigger: Type.Object({ type: Type.String() }),
  cancelRequestedAt: nullable(timestamp),
  retryOf: nullable(id),
  undo: nullable(
    Type.Object({
      status: runStatus,
      rowsRemoved: nullable(count),
      rowsMissing: nullable(count),
      finishedAt: nullable(timestamp),
    }),
  ),
});

export const runStarted = Type.Object({
  runId: id,
  pipelineId: id,
  status: runStatus,
  queuedAt: timestamp,
});

const showMetrics = (run: Run): RunMetrics =>
  run.metrics === null
    ? sumSplits(run.live === null ? [] : [run.live])
    : (JSON.parse(run.metrics) as RunMetrics);

const showError = (text: string): Static<typeof runError> => {
  const { code, message, nodeId, retryable, attempts } = JSON.parse(text) as Failure & {
    retryable: boolean;
    attempts: number;
  };
  return { code, message, retryable, attempts, ...(nodeId === undefined ? {} : { nodeId }) };
};

/** Of a run under way it counts up to now, by the database's clock. */
const seconds = (run: Run): number | null =>
  run.started_at === null
    ? null
    : Math.floor(((run.finished_at ?? run.now).getTime() - run.started_at.getTime()) / 1000);

const showFields = (run: Run) => ({
  id: run.id,
  pipelineId: run.pipeline_id,
  pipelineName: run.pipeline_name,
  pipelineVersion: run.pipeline_version,
  status: run.status,
  queuedAt: showTimestamp(run.created_at),
  startedAt: showTimestampOrNull(run.started_at),
  finishedAt: showTimestampOrNull(run.finished_at),
  durationSeconds: seconds(run),
  metrics: showMetrics(run),
  error: run.error === null ? null : showError(run.error),
  warnings: JSON.parse(run.warnings) as string[],
});

export const showRunItem = (run: Run): Static<typeof runItem> => ({
  ...showFields(run),
  trigger: run.trigger,
});

export const showRunDetail = (run: Run): Static<typeof runDetail> => ({
  ...showFields(run),
  trigger: { type: run.trigger },
  cancelRequestedAt: showTimestampOrNull(run.cancel_requested_at),
  retryOf: run.retry_of,
  undo: run.undo && {
    status: run.undo.status,
    rowsRemoved: run.undo.result?.rowsRemoved ?? null,
    rowsMissing: run.undo.result?.rowsMissing ?? null,
    finishedAt: run.undo.finishedAt === null ? null : new Date(run.undo.finishedAt).toISOString(),
  },
});

export const showRunStarted = (job: Job, pipelineId: string): Static<typeof runStarted> => ({
  runId: job.id,
  pipelineId,
  status: job.status,
  queuedAt: showTimestamp(job.created_at),
});
