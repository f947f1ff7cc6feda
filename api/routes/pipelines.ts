import { Type } from '@sinclair/typebox';
import type { Static } from '@sinclair/typebox';
import { AppError, referenceNotFound } from '../../core/errors.js';
import type { PipelineWithGraph } from '../../db/repos/pipelines.js';
import { route } from '../route.js';
import type { RouteTable } from '../route.js';
import { bindStored, recordBinding, refuseUnlessBinding } from '../schemas/binding.js';
import {
  connectionIdsOf,
  edges,
  nodes,
  refuseInvalidDraft,
  refuseUnlessRunnable,
} from '../schemas/graph.js';
import { id } from '../schemas/id.js';
import { issue } from '../schemas/issue.js';
import { anyObject, nullable } from '../schemas/objects.js';
import { refuseUnknown } from '../schemas/references.js';
import { name, oneOf, search } from '../schemas/text.js';
import { showTimestamp, timestamp } from '../schemas/timestamp.js';

const statuses = ['draft', 'active', 'archived'] as const;
const status = oneOf(statuses);

/** A graph of many nodes with long SQL in them. */
const maxGraphBytes = 5 * 1024 * 1024;

const place = { id, name, projectId: nullable(id), folderId: nullable(id), status };

const item = Type.Object({ ...place, updatedAt: timestamp });

const pipeline = Type.Object({
  ...place,
  version: Type.Integer({ description: 'Counts the definitions; a run pins the one it ran.' }),
  nodes: Type.Array(anyObject),
  edges: Type.Array(anyObject),
  createdAt: timestamp,
  updatedAt: timestamp,
  deleted: Type.Optional(Type.Boolean()),
  deletedAt: Type.Optional(timestamp),
  warnings: Type.Optional(
    Type.Array(issue, { description: 'What keeps a draft from being activated.' }),
  ),
});

const showPlace = (
  row: Pick<PipelineWithGraph, 'id' | 'name' | 'project_id' | 'folder_id' | 'status'>,
) => ({
  id: row.id,
  name: row.name,
  projectId: row.project_id,
  folderId: row.folder_id,
  status: row.status,
});

const show = (row: PipelineWithGraph): Static<typeof pipeline> => ({
  ...showPlace(row),
  version: row.version,
  nodes: JSON.parse(row.nodes) as Record<string, unknown>[],
  edges: JSON.parse(row.edges) as Record<string, unknown>[],
  createdAt: showTimestamp(row.created_at),
  updatedAt: showTimestamp(row.updated_at),
  ...(row.deleted_at ? { deleted: true, deletedAt: showTimestamp(row.deleted_at) } : {}),
});

interface Definition {
  nodes: string;
  edges: string;
}

/** What is left out stays. */
const changed = (
  stored: Definition,
  body: { nodes?: unknown[]; edges?: unknown[] },
): Definition => ({
  nodes: body.nodes === undefined ? stored.nodes : JSON.stringify(body.nodes),
  edges: body.edges === undefined ? stored.edges : JSON.stringify(body.edges),
});

const isSame = (a: Definition, b: Definition): boolean =>
  a.nodes === b.nodes && a.edges === b.edges;

const parsed = ({ nodes: nodesText, edges: edgesText }: Definition) => ({
  nodes: JSON.parse(nodesText) as Record<string, unknown>[],
  edges: JSON.parse(edgesText) as Record<string, unknown>[],
});

export const pipelines: RouteTable = {
  tag: 'Pipelines',
  routes: [
    route({
      method: 'GET',
      path: '/api/pipelines',
      name: 'pipelines.list',
      summary: 'All pipelines outside the trash, newest first, without their graphs',
      scope: 'pipelines:read',
      mode: 'read',
      envelope: { family: 'A', kind: 'list', meta: 'total' },
      page: { kind: 'all' },
      query: {
        projectId: Type.Optional(id),
        folderId: Type.Optional(id),
        search: Type.Optional(search),
        status: Type.Optional(status),
      },
      response: item,
      errors: ['reference_not_found'],
      handler: async ({ query }, { repos, scope }) => {
        await refuseUnknown(repos, scope, 'projects', query.projectId, '/projectId');
        await refuseUnknown(repos, scope, 'folders', query.folderId, '/folderId');
        return (await repos.pipelines.list(scope, query)).map((row) => ({
          ...showPlace(row),
          updatedAt: showTimestamp(row.updated_at),
        }));
      },
    }),
    route({
      method: 'POST',
      path: '/api/pipelines',
      name: 'pipelines.create',
      summary: 'Create a draft; its graph may be incomplete',
      scope: 'pipelines:write',
      mode: 'write',
      creates: true,
      maxBodyBytes: maxGraphBytes,
      envelope: { family: 'A', kind: 'one' },
      body: Type.Object({
        name,
        projectId: id,
        folderId: Type.Optional(nullable(id)),
        nodes,
        edges,
      }),
      response: pipeline,
      errors: ['invalid_graph', 'quota_exceeded', 'reference_not_found'],
      handler: async ({ body }, { repos, scope, principal }) => {
        const warnings = refuseInvalidDraft(body);
        const folderId = body.folderId ?? null;
        const found = await repos.references.place(scope, body.projectId, folderId);
        if (!found.project) throw referenceNotFound('/projectId', 'project');
        if (!found.folder) throw referenceNotFound('/folderId', 'folder in this project');
        const row = await repos.pipelines.create(scope, {
          name: body.name,
          projectId: body.projectId,
          folderId,
          nodes: JSON.stringify(body.nodes),
          edges: JSON.stringify(body.edges),
          connectionIds: connectionIdsOf(body),
          createdBy: principal.userId,
        });
        return { ...show(row), warnings };
      },
    }),
    route({
      method: 'GET',
      path: '/api/pipelines/{id}',
      name: 'pipelines.get',
      summary: 'A pipeline with its graph; one in the trash says so',
      scope: 'pipelines:read',
      mode: 'read',
      envelope: { family: 'A', kind: 'one' },
      params: { id },
      response: pipeline,
      handler: async ({ params }, { repos, scope }) =>
        show(await repos.pipelines.get(scope, params.id)),
    }),
    route({
      method: 'PUT',
      path: '/api/pipelines/{id}',
      name: 'pipelines.update',
      summary: 'Replace nodes, edges or both; what is left out stays',
      description:
        'Every change is a new version; an active pipeline stays valid or the change is refused.',
      scope: 'pipelines:write',
      mode: 'write',
      maxBodyBytes: maxGraphBytes,
      envelope: { family: 'A', kind: 'one' },
      params: { id },
      body: Type.Object({ nodes: Type.Optional(nodes), edges: Type.Optional(edges) }),
      response: pipeline,
      errors: ['wrong_state', 'invalid_graph', 'connection_failed', 'no_worker'],
      prepare: async ({ params, body }, context) => {
        const stored = await context.repos.pipelines.getLive(context.scope, params.id);
        const next = changed(stored, body);
        if (stored.status !== 'active' || isSame(stored, next)) return undefined;
        refuseInvalidDraft(parsed(next));
        await refuseUnlessBinding(next, context);
        return next;
      },
      handler: async ({ params, body }, { repos, scope, principal }, bound) => {
        const stored = await repos.pipelines.getForChange(scope, params.id);
        const next = changed(stored, body);
        const graph = parsed(next);
        const warnings = refuseInvalidDraft(graph);
        if (isSame(stored, next)) return { ...show(stored), warnings };
        if (stored.status === 'active' && !(bound && isSame(bound, next))) {
          throw new AppError('wrong_state', 'The pipeline changed at this moment; try again.');
        }
        if (stored.status === 'active') await refuseUnlessRunnable(next, repos, scope);
        await repos.pipelines.saveDefinition(
          scope,
          params.id,
          { ...next, connectionIds: connectionIdsOf(graph) },
          principal.userId,
        );
        const saved = await repos.pipelines.get(scope, params.id);
        if (bound) await repos.pipelines.markBound(scope, params.id, saved.version);
        return { ...show(saved), warnings };
      },
    }),
    route({
      method: 'DELETE',
      path: '/api/pipelines/{id}',
      name: 'pipelines.delete',
      summary: 'Move a pipeline to the trash; runs under way go on',
      scope: 'pipelines:write',
      mode: 'write',
      envelope: { family: 'A', kind: 'one' },
      params: { id },
      response: Type.Object({ id, deleted: Type.Literal(true), deletedAt: timestamp }),
      handler: async ({ params }, { repos, scope }) => ({
        id: params.id,
        deleted: true as const,
        deletedAt: showTimestamp(await repos.pipelines.trash(scope, params.id)),
      }),
    }),
    route({
      method: 'PATCH',
      path: '/api/pipelines/{id}/status',
      name: 'pipelines.setStatus',
      summary: 'Activate, archive, or make a draft again; only a valid graph becomes active',
      scope: 'pipelines:write',
      mode: 'write',
      envelope: { family: 'A', kind: 'one' },
      params: { id },
      body: Type.Object({ status }),
      response: pipeline,
      errors: ['wrong_state', 'invalid_graph', 'connection_failed', 'no_worker'],
      prepare: async ({ params, body }, context) =>
        body.status === 'active' ? bindStored(params.id, context) : undefined,
      handler: async ({ params, body }, { repos, scope }, bound) => {
        const stored = await repos.pipelines.getForChange(scope, params.id);
        if (body.status === 'active') {
          await refuseUnlessRunnable(stored, repos, scope);
          await recordBinding(stored, bound, { repos, scope });
        }
        await repos.pipelines.setStatus(scope, params.id, body.status);
        return show(await repos.pipelines.get(scope, params.id));
      },
    }),
  ],
};
