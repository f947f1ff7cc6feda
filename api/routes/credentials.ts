import { Type } from '@sinclair/typebox';
import type { Static } from '@sinclair/typebox';
import { invalid } from '../../core/errors.js';
import type { Manifest } from '../../connectors/manifest.js';
import type { CredentialWithUsers } from '../../db/repos/credentials.js';
import { route } from '../route.js';
import type { RouteTable } from '../route.js';
import { manifestOf, typeName } from '../schemas/connection.js';
import {
  mergeKeys,
  openSecrets,
  partSecrets,
  refuseMisfitFields,
  sameValues,
  sealSecrets,
  secretMask,
} from '../schemas/connectionSecrets.js';
import { deleted, showDeleted } from '../schemas/deleted.js';
import { id } from '../schemas/id.js';
import { anyObject } from '../schemas/objects.js';
import { name, search } from '../schemas/text.js';
import { showTimestamp, timestamp } from '../schemas/timestamp.js';

const credential = Type.Object({
  id,
  name,
  type: typeName,
  implicit: Type.Boolean({ description: 'Typed into a connection, and part of it' }),
  fieldsSet: Type.Array(Type.String()),
  connectionCount: Type.Integer(),
  connections: Type.Array(Type.Object({ id, name })),
  lastRotatedAt: timestamp,
  createdAt: timestamp,
  updatedAt: timestamp,
});

const show = (row: CredentialWithUsers): Static<typeof credential> => ({
  id: row.id,
  name: row.name,
  type: row.type,
  implicit: row.implicit,
  fieldsSet: [...row.fields].sort(),
  connectionCount: row.users,
  connections: row.references,
  lastRotatedAt: showTimestamp(row.last_rotated_at),
  createdAt: showTimestamp(row.created_at),
  updatedAt: showTimestamp(row.updated_at),
});

/** Only what is secret about connections of the type; the rest belongs into their config. */
const secretsIn = (fields: Readonly<Record<string, unknown>>, manifest: Manifest) => {
  const { open, secret } = partSecrets(fields, manifest);
  const [stranger] = Object.keys(open);
  if (stranger === undefined) return secret;
  const known = manifest.secretKeys.join(', ');
  throw invalid(
    `/fields/${stranger}`,
    known === '' ? 'Connections of this type keep nothing secret.' : `Expected one of: ${known}.`,
    'unknown_field',
  );
};

const fieldsSchema = Type.Unsafe<Record<string, unknown>>({
  ...anyObject,
  description: 'Secrets by key, as secretKeys of the connection type names them; never shown again',
});

export const credentials: RouteTable = {
  tag: 'Credentials',
  description: 'Secrets that several connections of a type share.',
  routes: [
    route({
      method: 'GET',
      path: '/api/credentials',
      name: 'credentials.list',
      summary: 'All credentials that were made to be shared, newest first',
      scope: 'credentials:read',
      mode: 'read',
      extension: true,
      envelope: { family: 'A', kind: 'list', meta: 'total' },
      page: { kind: 'all' },
      query: { type: Type.Optional(typeName), search: Type.Optional(search) },
      response: credential,
      handler: async ({ query }, { repos, scope }) =>
        (await repos.credentials.list(scope, query)).map(show),
    }),
    route({
      method: 'POST',
      path: '/api/credentials',
      name: 'credentials.create',
      summary: 'Create a credential; its fields are sealed and never shown again',
      scope: 'credentials:write',
      mode: 'write',
      creates: true,
      extension: true,
      envelope: { family: 'A', kind: 'one' },
      body: Type.Object({ name, type: typeName, fields: fieldsSchema }),
      response: credential,
      errors: ['duplicate'],
      handler: async ({ body }, context) => {
        const { repos, scope } = context;
        const manifest = manifestOf(body.type);
        const secret = mergeKeys({}, secretsIn(body.fields, manifest));
        refuseMisfitFields(manifest, secret);
        const made = await repos.credentials.nextId();
        await repos.credentials.create(scope, {
          id: made,
          name: body.name,
          type: body.type,
          implicit: false,
          sealed: sealSecrets(context, made, secret),
          fields: Object.keys(secret),
        });
        return show(await repos.credentials.get(scope, made));
      },
    }),
    route({
      method: 'GET',
      path: '/api/credentials/{id}',
      name: 'credentials.get',
      summary: 'What is known of a credential, and which connections use it; never its fields',
      scope: 'credentials:read',
      mode: 'read',
      extension: true,
      envelope: { family: 'A', kind: 'one' },
      params: { id },
      response: credential,
      handler: async ({ params }, { repos, scope }) =>
        show(await repos.credentials.get(scope, params.id)),
    }),
    route({
      method: 'PUT',
      path: '/api/credentials/{id}',
      name: 'credentials.update',
      summary: 'Rename or rotate a credential; fields are merged by key',
      description:
        'Fields that are left out stay, null removes one, and one that is sent as ' +
        `\`${secretMask}\` stays as it is. Connections use the new ones from their next call on.`,
      scope: 'credentials:write',
      mode: 'write',
      extension: true,
      envelope: { family: 'A', kind: 'one' },
      params: { id },
      body: Type.Object({ name: Type.Optional(name), fields: Type.Optional(fieldsSchema) }),
      response: credential,
      errors: ['duplicate'],
      handler: async ({ params, body }, context) => {
        const { repos, scope } = context;
        const stored = await repos.credentials.lock(scope, params.id);
        const manifest = manifestOf(stored.type);
        const before = openSecrets(context, stored.id, stored.sealed);
        const after = mergeKeys(before, secretsIn(body.fields ?? {}, manifest));
        refuseMisfitFields(manifest, after);
        const rotated = sameValues(before, after)
          ? {}
          : {
              secrets: {
                sealed: sealSecrets(context, stored.id, after),
                fields: Object.keys(after),
              },
            };
        await repos.credentials.update(scope, stored.id, {
          ...(body.name === undefined ? {} : { name: body.name }),
          ...rotated,
        });
        return show(await repos.credentials.get(scope, stored.id));
      },
    }),
    route({
      method: 'DELETE',
      path: '/api/credentials/{id}',
      name: 'credentials.delete',
      summary: 'Delete a credential that no connection uses',
      scope: 'credentials:write',
      mode: 'write',
      extension: true,
      envelope: { family: 'A', kind: 'one' },
      params: { id },
      response: deleted,
      errors: ['in_use'],
      handler: async ({ params }, { repos, scope }) =>
        showDeleted(params.id, await repos.credentials.remove(scope, params.id)),
    }),
  ],
};
