import { Type } from '@sinclair/typebox';
import type { Static } from '@sinclair/typebox';
import { invalid } from '../../core/errors.js';
import { nodeRecords } from '../../core/runView.js';
import type { JobLog } from '../../db/models/tables.js';
import type { RunFilter } from '../../db/repos/runs.js';
import { route } from '../route.js';
import type { RouteTable } from '../route.js';
import { id } from '../schemas/id.js';
import { nullable } from '../schemas/objects.js';
import { refuseUnknown } from '../schemas/references.js';
import {
  runDetail,
  runItem,
  runStarted,
  runStatus,
  showRunDetail,
  showRunItem,
  showRunStarted,
} from '../schemas/run.js';
import {
  parseDateRange,
  parseTimestamp,
  parseUntil,
  refuseEmptySpan,
  showTimestamp,
  showTimestampOrNull,
  timestamp,
  timestampInput,
} from '../schemas/timestamp.js';

const nodeRecord = Type.Object({
  nodeId: Type.String(),
  type: Type.String(),
  status: runStatus,
  startedAt: nullable(timestamp),
  finishedAt: nullable(timestamp),
  metrics: Type.Object({
    rowsIn: Type.Optional(Type.Integer()),
    rowsOut: Type.Optional(Type.Integer()),
    rowsFailed: Type.Integer(),
  }),
});

const logLine = Type.Object({
  ts: timestamp,
  level: Type.String(),
  nodeId: nullable(Type.String()),
  message: Type.String(),
});

const linesPerAnswer = 1_000;
const logCursor = /^line:(\d{1,9})$/;

const showLine = (line: JobLog): Static<typeof logLine> => ({
  ts: showTimestamp(line.ts),
  level: line.level,
  nodeId: line.node_id,
  message: line.message,
});

/** `dateRange`, or `from` and `to`, on the queued time. */
const spanOf = (query: { dateRange?: string; from?: string; to?: string }): RunFilter => {
  const span =
    query.dateRange === undefined
      ? {
          ...(query.from === undefined ? {} : { from: parseTimestamp(query.from, '/from') }),
          ...(query.to === undefined ? {} : { before: parseUntil(query.to, '/to') }),
        }
      : parseDateRange(query.dateRange, '/dateRange');
  refuseEmptySpan(span, '/to');
  return {
    ...(span.from === undefined ? {} : { from: span.from }),
    ...(span.before === undefined ? {} : { to: span.before }),
  };
};

export const runs: RouteTable = {
  tag: 'Runs',
  routes: [
    route({
      method: 'GET',
      path: '/api/runs',
      name: 'runs.list',
      summary: 'Runs of all pipelines, newest first',
      scope: 'runs:read',
      mode: 'read',
      envelope: { family: 'A', kind: 'list', meta: 'cursor' },
      page: { kind: 'keyset' },
      query: {
        pipelineId: Type.Optional(id),
        status: Type.Optional(runStatus),
        dateRange: Type.Optional(Type.String({ maxLength: 100 })),
        from: Type.Optional(timestampInput),
        to: Type.Optional(timestampInput),
      },
      response: runItem,
      errors: ['reference_not_found'],
      handler: async ({ query, page }, { repos, scope }) => {
        const { pipelineId, status } = query;
        const both = query.dateRange !== undefined && (query.from ?? query.to) !== undefined;
        if (both) throw invalid('/dateRange', 'Use either dateRange, or from and to.');
        await refuseUnknown(repos, scope, 'pipelines', pipelineId, '/pipelineId');
        const { rows, next } = await repos.runs.list(
          scope,
          {
            ...spanOf(query),
            ...(pipelineId === undefined ? {} : { pipelineId }),
            ...(status === undefined ? {} : { status }),
          },
          page,
        );
        return { items: rows.map(showRunItem), next };
      },
    }),
    route({
      method: 'GET',
      path: '/api/runs/{id}',
      name: 'runs.get',
      summary: 'One run, with live counters while it is under way',
      scope: 'runs:read',
      mode: 'read',
      envelope: { family: 'A', kind: 'one' },
      params: { id },
      response: runDetail,
      handler: async ({ params }, { repos, scope }) =>
        showRunDetail(await repos.runs.get(scope, params.id)),
    }),
    route({
      method: 'GET',
      path: '/api/runs/{id}/nodes',
      name: 'runs.nodes',
      summary: 'A run node by node',
      scope: 'runs:read',
      mode: 'read',
      envelope: { family: 'A', kind: 'one' },
      params: { id },
      response: Type.Object({ runId: id, nodes: Type.Array(nodeRecord) }),
      handler: async ({ params }, { repos, scope }) => {
        const { run, nodes, stages } = await repos.runs.withGraph(scope, params.id);
        const totals = await repos.splits.totals(scope, params.id);
        const queries = stages.filter(({ kind }) => kind === 'compute').map((stage) => stage.id);
        const queried = await repos.splits.rowsOfSources(scope, params.id, queries);
        return {
          runId: params.id,
          nodes: nodeRecords(run, nodes, stages, totals, queried).map((record) => ({
            ...record,
            startedAt: showTimestampOrNull(record.startedAt),
            finishedAt: showTimestampOrNull(record.finishedAt),
          })),
        };
      },
    }),
    route({
      method: 'GET',
      path: '/api/runs/{id}/logs',
      name: 'runs.logs',
      summary: 'Log lines in order; follow nextCursor until it is null',
      scope: 'runs:read',
      mode: 'read',
      envelope: { family: 'A', kind: 'one' },
      params: { id },
      query: {
        nodeId: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
        since: Type.Optional(
          Type.String({
            maxLength: 40,
            description: 'A timestamp, or the nextCursor of an earlier answer.',
          }),
        ),
      },
      response: Type.Object({
        runId: id,
        lines: Type.Array(logLine),
        nextCursor: nullable(Type.String()),
      }),
      handler: async ({ params, query: { nodeId, since } }, { repos, scope }) => {
        const cursor = logCursor.exec(since ?? '')?.[1];
        const after = cursor === undefined ? undefined : Number(cursor);
        const { lines, ended } = await repos.logs.read(scope, params.id, {
          limit: linesPerAnswer,
          ...(nodeId === undefined ? {} : { nodeId }),
          ...(after === undefined ? {} : { after }),
          ...(since === undefined || after !== undefined
            ? {}
            : { since: parseTimestamp(since, '/since') }),
        });
        const seen = lines.at(-1)?.seq ?? after;
        const more = !ended || lines.length === linesPerAnswer;
        const next = seen === undefined ? (since ?? 'line:0') : `line:${seen}`;
        return {
          runId: params.id,
          lines: lines.map(showLine),
          nextCursor: more ? next : null,
        };
      },
    }),
    route({
      method: 'DELETE',
      path: '/api/runs/{id}',
      name: 'runs.cancel',
      summary: 'Cancel a queued or running run',
      scope: 'runs:run',
      mode: 'write',
      envelope: { family: 'A', kind: 'one' },
      params: { id },
      response: Type.Object({
        id,
        status: Type.Literal('cancel_requested'),
        message: Type.String(),
      }),
      errors: ['run_finished'],
      handler: async ({ params }, { repos, scope }) => {
        await repos.runs.get(scope, params.id);
        const { status } = await repos.jobs.requestCancel(scope, params.id);
        return {
          id: params.id,
          status: 'cancel_requested' as const,
          message:
            status === 'canceled'
              ? 'The run had not begun and is canceled.'
              : 'Workers stop at the next safe point; what is committed stays.',
        };
      },
    }),
    route({
      method: 'POST',
      path: '/api/runs/{id}/retry',
      name: 'runs.retry',
      summary: 'Complete a failed or canceled run: what it committed is not written again',
      scope: 'pipelines:run',
      mode: 'write',
      creates: true,
      extension: true,
      envelope: { family: 'A', kind: 'one' },
      params: { id },
      response: runStarted,
      errors: ['wrong_state'],
      handler: async ({ params }, { repos, scope, principal, requestId }) => {
        const { job, pipelineId } = await repos.retries.retry(scope, params.id, {
          requestedBy: principal.userId,
          requestId,
        });
        return showRunStarted(job, pipelineId);
      },
    }),
    route({
      method: 'POST',
      path: '/api/runs/{id}/undo',
      name: 'runs.undo',
      summary: 'Remove the rows that a failed or canceled run has appended',
      description: 'The run itself shows how far the undo is, in `undo`.',
      scope: 'pipelines:run',
      mode: 'write',
      creates: true,
      extension: true,
      envelope: { family: 'A', kind: 'one' },
      params: { id },
      response: Type.Object({ runId: id, jobId: id, status: runStatus, queuedAt: timestamp }),
      errors: ['wrong_state'],
      handler: async ({ params }, { repos, scope, principal, requestId }) => {
        const job = await repos.retries.undo(scope, params.id, {
          requestedBy: principal.userId,
          requestId,
        });
        return {
          runId: params.id,
          jobId: job.id,
          status: job.status,
          queuedAt: showTimestamp(job.created_at),
        };
      },
    }),
  ],
};
