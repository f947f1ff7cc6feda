import { Type } from '@sinclair/typebox';
import { AppError } from '../../core/errors.js';
import { nodeRecords } from '../../core/runView.js';
import { priorities } from '../../core/status.js';
import { route } from '../route.js';
import type { RouteTable } from '../route.js';
import { bindStored, recordBinding } from '../schemas/binding.js';
import { refuseUnlessRunnable } from '../schemas/graph.js';
import { id } from '../schemas/id.js';
import { nullable } from '../schemas/objects.js';
import { refuseUnknown } from '../schemas/references.js';
import { runItem, runStarted, runStatus, showRunItem, showRunStarted } from '../schemas/run.js';
import { oneOf } from '../schemas/text.js';
import { showTimestampOrNull, timestamp } from '../schemas/timestamp.js';

const count = Type.Integer({ minimum: 0 });

const variables = Type.Record(
  Type.String({ pattern: '^[A-Za-z0-9_]{1,200}$' }),
  Type.Union([Type.String(), Type.Number(), Type.Boolean()]),
  { additionalProperties: false, maxProperties: 1000 },
);

/** What a pipeline does and did, as opposed to what it is. */
export const pipelineRuns: RouteTable = {
  tag: 'Pipelines',
  routes: [
    route({
      method: 'POST',
      path: '/api/pipelines/{id}/run',
      name: 'pipelines.run',
      summary: 'Start a run of the current definition',
      scope: 'pipelines:run',
      mode: 'write',
      creates: true,
      envelope: { family: 'A', kind: 'one' },
      params: { id },
      body: Type.Object({
        variables: Type.Optional(variables),
        environmentId: Type.Optional(nullable(id)),
        priority: Type.Optional(oneOf(priorities)),
        reset: Type.Optional(
          Type.Boolean({
            description: 'Incremental sources are read from their beginning, as by a first run',
          }),
        ),
      }),
      response: runStarted,
      errors: [
        'wrong_state',
        'invalid_graph',
        'reference_not_found',
        'connection_failed',
        'no_worker',
      ],
      prepare: ({ params }, context) => bindStored(params.id, context),
      handler: async ({ params, body }, { repos, scope, principal, requestId }, bound) => {
        const pipeline = await repos.pipelines.getLive(scope, params.id);
        if (pipeline.status === 'archived') {
          throw new AppError('wrong_state', 'The pipeline is archived.');
        }
        await refuseUnlessRunnable(pipeline, repos, scope);
        await recordBinding(pipeline, bound, { repos, scope });
        const environmentId = body.environmentId ?? null;
        await refuseUnknown(repos, scope, 'environments', environmentId, '/environmentId');
        if (body.reset) await repos.cursors.reset(scope, params.id);
        const job = await repos.jobs.enqueue(scope, {
          type: 'pipeline_run',
          trigger: 'manual',
          priority: body.priority ?? 'normal',
          pipeline,
          environmentId,
          variables: JSON.stringify(body.variables ?? {}),
          requestedBy: principal.userId,
          requestId,
        });
        return showRunStarted(job, pipeline.id);
      },
    }),
    route({
      method: 'POST',
      path: '/api/pipelines/{id}/reset',
      name: 'pipelines.reset',
      summary: 'Forget how far incremental sources were read: the next run reads all of them',
      scope: 'pipelines:run',
      mode: 'write',
      extension: true,
      envelope: { family: 'A', kind: 'one' },
      params: { id },
      response: Type.Object({
        id,
        cursors: Type.Integer({ description: 'How many sources had been read' }),
      }),
      errors: ['wrong_state'],
      handler: async ({ params }, { repos, scope }) => {
        await repos.pipelines.getLive(scope, params.id);
        return { id: params.id, cursors: await repos.cursors.reset(scope, params.id) };
      },
    }),
    route({
      method: 'GET',
      path: '/api/pipelines/{id}/runs',
      name: 'pipelines.runs',
      summary: 'Runs of one pipeline, newest first',
      scope: 'runs:read',
      mode: 'read',
      envelope: { family: 'A', kind: 'list', meta: 'cursor' },
      page: { kind: 'keyset' },
      params: { id },
      response: runItem,
      handler: async ({ params, page }, { repos, scope }) => {
        await repos.pipelines.get(scope, params.id);
        const { rows, next } = await repos.runs.list(scope, { pipelineId: params.id }, page);
        return { items: rows.map(showRunItem), next };
      },
    }),
    route({
      method: 'GET',
      path: '/api/pipelines/{id}/execution-status',
      name: 'pipelines.executionStatus',
      summary: 'How far the latest run is; nulls before the first',
      scope: 'runs:read',
      mode: 'read',
      envelope: { family: 'A', kind: 'one' },
      params: { id },
      response: Type.Object({
        pipelineId: id,
        runId: nullable(id),
        status: nullable(runStatus),
        progress: Type.Object({ completedNodes: count, totalNodes: count }),
        startedAt: nullable(timestamp),
      }),
      handler: async ({ params }, { repos, scope }) => {
        const pipeline = await repos.pipelines.get(scope, params.id);
        const latest = await repos.runs.latest(scope, params.id);
        if (!latest) {
          const totalNodes = (JSON.parse(pipeline.nodes) as unknown[]).length;
          return {
            pipelineId: params.id,
            runId: null,
            status: null,
            progress: { completedNodes: 0, totalNodes },
            startedAt: null,
          };
        }
        const { run, nodes, stages } = latest;
        const totals = await repos.splits.totals(scope, run.id);
        const records = nodeRecords(run, nodes, stages, totals);
        return {
          pipelineId: params.id,
          runId: run.id,
          status: run.status,
          progress: {
            completedNodes: records.filter(({ status }) => status === 'succeeded').length,
            totalNodes: records.length,
          },
          startedAt: showTimestampOrNull(run.started_at),
        };
      },
    }),
  ],
};
