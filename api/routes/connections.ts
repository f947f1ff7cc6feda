import { Type } from '@sinclair/typebox';
import { invalid } from '../../core/errors.js';
import { route } from '../route.js';
import type { RouteTable } from '../route.js';
import { connection, manifestOf, showConnection, typeName } from '../schemas/connection.js';
import { changeConnection, createConnection } from '../schemas/connectionChange.js';
import { secretMask } from '../schemas/connectionSecrets.js';
import { deleted, showDeleted } from '../schemas/deleted.js';
import { id } from '../schemas/id.js';
import { anyObject, nullable } from '../schemas/objects.js';
import { name, search } from '../schemas/text.js';

export const connections: RouteTable = {
  tag: 'Connections',
  routes: [
    route({
      method: 'GET',
      path: '/api/connections',
      name: 'connections.list',
      summary: 'All connections of the workspace, newest first',
      scope: 'connections:read',
      mode: 'read',
      envelope: { family: 'A', kind: 'list', meta: 'total' },
      page: { kind: 'all' },
      query: { type: Type.Optional(typeName), search: Type.Optional(search) },
      response: connection,
      handler: async ({ query }, { repos, scope }) =>
        (await repos.connections.list(scope, query)).map(showConnection),
    }),
    route({
      method: 'POST',
      path: '/api/connections',
      name: 'connections.create',
      summary: 'Create a connection; secrets in its config are sealed and never shown again',
      scope: 'connections:write',
      mode: 'write',
      creates: true,
      envelope: { family: 'A', kind: 'one' },
      body: Type.Object({
        name,
        type: typeName,
        config: anyObject,
        credentialId: Type.Optional(nullable(id)),
      }),
      response: connection,
      errors: ['duplicate', 'quota_exceeded', 'reference_not_found'],
      handler: async ({ body }, context) =>
        showConnection(await createConnection(context, manifestOf(body.type), body)),
    }),
    route({
      method: 'GET',
      path: '/api/connections/{id}',
      name: 'connections.get',
      summary: 'A connection without its secrets',
      scope: 'connections:read',
      mode: 'read',
      envelope: { family: 'A', kind: 'one' },
      params: { id },
      response: connection,
      handler: async ({ params }, { repos, scope }) =>
        showConnection(await repos.connections.get(scope, params.id)),
    }),
    route({
      method: 'PUT',
      path: '/api/connections/{id}',
      name: 'connections.update',
      summary: 'Change a connection; config is merged by key',
      description:
        'Keys that are left out stay, null removes one. A secret that is sent as ' +
        `\`${secretMask}\` stays as it is. With a credentialId, secrets come from there; null lets ` +
        'go of it. The type cannot change.',
      scope: 'connections:write',
      mode: 'write',
      envelope: { family: 'A', kind: 'one' },
      params: { id },
      body: Type.Object({
        name: Type.Optional(name),
        type: Type.Optional(Type.Unknown({ description: 'Refused: it cannot change' })),
        config: Type.Optional(anyObject),
        credentialId: Type.Optional(nullable(id)),
      }),
      response: connection,
      errors: ['duplicate', 'reference_not_found'],
      handler: async ({ params, body }, context) => {
        const { repos, scope } = context;
        const stored = await repos.connections.lock(scope, params.id);
        if (body.type !== undefined) {
          throw invalid(
            '/type',
            'The type of a connection cannot change: make another one.',
            'immutable',
          );
        }
        return showConnection(
          await changeConnection(context, manifestOf(stored.type), stored, body),
        );
      },
    }),
    route({
      method: 'DELETE',
      path: '/api/connections/{id}',
      name: 'connections.delete',
      summary: 'Delete a connection that no active pipeline uses',
      scope: 'connections:write',
      mode: 'write',
      envelope: { family: 'A', kind: 'one' },
      params: { id },
      query: { force: Type.Optional(Type.Boolean()) },
      response: deleted,
      errors: ['in_use'],
      handler: async ({ params, query }, { repos, scope }) =>
        showDeleted(
          params.id,
          await repos.connections.remove(scope, params.id, { force: query.force ?? false }),
        ),
    }),
  ],
};
