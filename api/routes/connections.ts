import { Type } from '@sinclair/typebox';
import type { Static } from '@sinclair/typebox';
import { AppError, invalid, referenceNotFound } from '../../core/errors.js';
import { checkSchema } from '../../core/schema.js';
import { connectionManifest, connectionTypes } from '../../connectors/catalog.js';
import type { Connection } from '../../db/models/tables.js';
import { route } from '../route.js';
import type { RouteTable } from '../route.js';
import { deleted, showDeleted } from '../schemas/deleted.js';
import { id } from '../schemas/id.js';
import { anyObject, nullable } from '../schemas/objects.js';
import { name, search } from '../schemas/text.js';
import { showTimestamp, timestamp } from '../schemas/timestamp.js';

const typeName = Type.String({ minLength: 1, maxLength: 100 });

const connection = Type.Object({
  id,
  name,
  type: typeName,
  config: anyObject,
  credentialId: nullable(id),
  createdAt: timestamp,
  updatedAt: timestamp,
});

const show = (row: Connection): Static<typeof connection> => ({
  id: row.id,
  name: row.name,
  type: row.type,
  config: JSON.parse(row.config) as Record<string, unknown>,
  credentialId: row.credential_id,
  createdAt: showTimestamp(row.created_at),
  updatedAt: showTimestamp(row.updated_at),
});

interface Parted {
  open: Record<string, unknown>;
  secret: Record<string, unknown>;
}

/** What may be shown, and what is sealed and never comes back. */
const partSecrets = (config: Record<string, unknown>, secretKeys: readonly string[]): Parted => {
  const entries = Object.entries(config);
  const isSecret = ([key]: [string, unknown]) => secretKeys.includes(key);
  return {
    open: Object.fromEntries(entries.filter((entry) => !isSecret(entry))),
    secret: Object.fromEntries(entries.filter(isSecret)),
  };
};

const manifestOf = (type: string) => {
  const manifest = connectionManifest(type);
  if (manifest) return manifest;
  throw invalid(
    '/type',
    `Unknown connection type. Known are: ${connectionTypes.join(', ')}.`,
    'unknown_type',
  );
};

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
        (await repos.connections.list(scope, query)).map(show),
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
      handler: async ({ body }, { repos, scope, secrets }) => {
        const manifest = manifestOf(body.type);
        const issues = checkSchema(manifest.config, body.config, '/config');
        if (issues.length > 0) {
          throw new AppError('validation_failed', 'The config does not fit the connection type.', {
            errors: issues,
          });
        }
        const { open, secret } = partSecrets(body.config, manifest.secretKeys);
        const fields = Object.keys(secret);
        let credentialId = body.credentialId ?? null;
        if (credentialId !== null && fields.length > 0) {
          throw invalid(
            `/config/${fields[0] ?? ''}`,
            'Secrets come either from credentialId or from config.',
          );
        }
        if (credentialId !== null && !(await repos.credentials.exists(scope, credentialId))) {
          throw referenceNotFound('/credentialId', 'credential');
        }
        if (fields.length > 0) {
          credentialId = await repos.credentials.nextId();
          await repos.credentials.create(scope, {
            id: credentialId,
            name: body.name,
            type: body.type,
            implicit: true,
            sealed: secrets.seal(JSON.stringify(secret), {
              table: 'credentials',
              row: credentialId,
              field: 'sealed',
            }),
            fields,
          });
        }
        const row = await repos.connections.create(scope, {
          name: body.name,
          type: body.type,
          config: JSON.stringify(open),
          credentialId,
        });
        return show(row);
      },
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
        show(await repos.connections.get(scope, params.id)),
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
