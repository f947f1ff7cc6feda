import { Type } from '@sinclair/typebox';
import type { Static } from '@sinclair/typebox';
import type { Project } from '../../db/models/tables.js';
import type { ProjectWithSummary } from '../../db/repos/projects.js';
import { route } from '../route.js';
import type { RouteTable } from '../route.js';
import { deleted, showDeleted } from '../schemas/deleted.js';
import { id } from '../schemas/id.js';
import { nullable } from '../schemas/objects.js';
import { description, name, search } from '../schemas/text.js';
import { showTimestamp, timestamp } from '../schemas/timestamp.js';

const project = Type.Object({
  id,
  name,
  description: nullable(description),
  createdAt: timestamp,
  updatedAt: timestamp,
});

const count = Type.Integer({ minimum: 0 });

const projectWithSummary = Type.Composite([
  project,
  Type.Object({
    summary: Type.Object({
      folders: count,
      pipelines: count,
      activePipelines: count,
      runs24h: count,
      failedRuns24h: count,
    }),
  }),
]);

const show = (row: Project): Static<typeof project> => ({
  id: row.id,
  name: row.name,
  description: row.description,
  createdAt: showTimestamp(row.created_at),
  updatedAt: showTimestamp(row.updated_at),
});

const showWithSummary = (row: ProjectWithSummary): Static<typeof projectWithSummary> => ({
  ...show(row),
  summary: row.summary,
});

export const projects: RouteTable = {
  tag: 'Projects',
  routes: [
    route({
      method: 'GET',
      path: '/api/projects',
      name: 'projects.list',
      summary: 'All projects of the workspace, newest first',
      scope: 'projects:read',
      mode: 'read',
      envelope: { family: 'A', kind: 'list' },
      page: { kind: 'all' },
      query: { search: Type.Optional(search) },
      response: project,
      handler: async ({ query }, { repos, scope }) =>
        (await repos.projects.list(scope, query.search)).map(show),
    }),
    route({
      method: 'POST',
      path: '/api/projects',
      name: 'projects.create',
      summary: 'Create a project',
      scope: 'projects:write',
      mode: 'write',
      creates: true,
      envelope: { family: 'A', kind: 'one' },
      body: Type.Object({ name, description: Type.Optional(nullable(description)) }),
      response: project,
      handler: async ({ body }, { repos, scope }) =>
        show(
          await repos.projects.create(scope, {
            name: body.name,
            description: body.description ?? null,
          }),
        ),
    }),
    route({
      method: 'GET',
      path: '/api/projects/{id}',
      name: 'projects.get',
      summary: 'A project with counts of what is in it',
      scope: 'projects:read',
      mode: 'read',
      envelope: { family: 'A', kind: 'one' },
      params: { id },
      response: projectWithSummary,
      handler: async ({ params }, { repos, scope }) =>
        showWithSummary(await repos.projects.get(scope, params.id)),
    }),
    route({
      method: 'PUT',
      path: '/api/projects/{id}',
      name: 'projects.update',
      summary: 'Rename or describe a project; fields left out stay, null clears the description',
      scope: 'projects:write',
      mode: 'write',
      envelope: { family: 'A', kind: 'one' },
      params: { id },
      body: Type.Object({
        name: Type.Optional(name),
        description: Type.Optional(nullable(description)),
      }),
      response: projectWithSummary,
      handler: async ({ params, body }, { repos, scope }) => {
        await repos.projects.update(scope, params.id, body);
        return showWithSummary(await repos.projects.get(scope, params.id));
      },
    }),
    route({
      method: 'DELETE',
      path: '/api/projects/{id}',
      name: 'projects.delete',
      summary: 'Delete an empty project; with cascade its pipelines move to the trash',
      scope: 'projects:write',
      mode: 'write',
      envelope: { family: 'A', kind: 'one' },
      params: { id },
      query: { cascade: Type.Optional(Type.Boolean()) },
      response: deleted,
      errors: ['in_use'],
      handler: async ({ params, query }, { repos, scope }) =>
        showDeleted(
          params.id,
          await repos.projects.remove(scope, params.id, { cascade: query.cascade ?? false }),
        ),
    }),
  ],
};
