import { Type } from '@sinclair/typebox';
import type { Static } from '@sinclair/typebox';
import { AppError, invalid } from '../../core/errors.js';
import { isScope, narrower, permissions } from '../../core/permissions.js';
import type { Principal } from '../../core/scope.js';
import type { ApiKey } from '../../db/models/tables.js';
import { route } from '../route.js';
import type { RouteTable } from '../route.js';
import { id } from '../schemas/id.js';
import { nullable } from '../schemas/objects.js';
import { name } from '../schemas/text.js';
import { showTimestamp, showTimestampOrNull, timestamp } from '../schemas/timestamp.js';

const key = Type.Object({
  id,
  name,
  prefix: Type.String(),
  scopes: Type.Array(Type.String()),
  created_at: timestamp,
  last_used_at: nullable(timestamp),
  expires_at: nullable(timestamp),
});

const secret = Type.String({ description: 'Shown this once.' });
const longestLifeDays = 3650;

const show = (row: ApiKey): Static<typeof key> => ({
  id: row.id,
  name: row.name,
  prefix: row.prefix,
  scopes: row.scopes,
  created_at: showTimestamp(row.created_at),
  last_used_at: showTimestampOrNull(row.last_used_at),
  expires_at: showTimestampOrNull(row.expires_at),
});

const refuseUnknown = (scopes: readonly string[]): void => {
  const at = scopes.findIndex((scope) => !isScope(scope));
  if (at < 0) return;
  throw invalid(
    `/scopes/${at}`,
    `Unknown scope. Known are ${permissions.join(', ')}, and * on either side.`,
    'unknown_scope',
  );
};

/** Neither by making nor by renewing one does a key come to more than it has itself. */
const refuseWider = (scopes: readonly string[], { scopes: granted }: Principal): void => {
  if (narrower(scopes, granted)) return;
  throw new AppError(
    'insufficient_scope',
    'A key cannot carry more than the key that asks for it.',
  );
};

export const apiKeys: RouteTable = {
  tag: 'API keys',
  routes: [
    route({
      method: 'GET',
      path: '/api/user/api-keys',
      name: 'apiKeys.list',
      summary: 'Your API keys in this workspace',
      scope: 'api_keys:read',
      mode: 'read',
      envelope: { family: 'C', kind: 'list' },
      page: { kind: 'all' },
      response: key,
      handler: async (_input, { repos, scope, principal }) =>
        (await repos.apiKeys.list(scope, principal.userId)).map(show),
    }),
    route({
      method: 'POST',
      path: '/api/user/api-keys',
      name: 'apiKeys.create',
      summary: 'Create an API key; its secret is in this answer and nowhere else',
      scope: 'api_keys:write',
      mode: 'write',
      creates: true,
      status: 201,
      envelope: { family: 'C', kind: 'one' },
      body: Type.Object({
        name,
        scopes: Type.Array(Type.String({ maxLength: 100 }), { minItems: 1, maxItems: 200 }),
        expires_in_days: Type.Optional(
          nullable(Type.Integer({ minimum: 1, maximum: longestLifeDays })),
        ),
      }),
      response: Type.Composite([key, Type.Object({ secret })]),
      handler: async ({ body }, { repos, scope, principal, secrets }) => {
        refuseUnknown(body.scopes);
        refuseWider(body.scopes, principal);
        const made = secrets.newApiKey();
        const row = await repos.apiKeys.create(scope, {
          userId: principal.userId,
          name: body.name,
          scopes: body.scopes,
          prefix: made.prefix,
          hash: made.hash,
          expiresInDays: body.expires_in_days ?? null,
        });
        return { ...show(row), secret: made.secret };
      },
    }),
    route({
      method: 'GET',
      path: '/api/user/api-keys/{id}',
      name: 'apiKeys.get',
      summary: 'What is known of an API key; never its secret',
      scope: 'api_keys:read',
      mode: 'read',
      envelope: { family: 'C', kind: 'one' },
      params: { id },
      response: key,
      handler: async ({ params }, { repos, scope, principal }) =>
        show(await repos.apiKeys.get(scope, principal.userId, params.id)),
    }),
    route({
      method: 'DELETE',
      path: '/api/user/api-keys/{id}',
      name: 'apiKeys.revoke',
      summary: 'Revoke an API key; it stops working at once',
      scope: 'api_keys:write',
      mode: 'write',
      status: 204,
      envelope: { family: 'C', kind: 'empty' },
      params: { id },
      handler: async ({ params }, { repos, scope, principal }) =>
        repos.apiKeys.revoke(scope, principal.userId, params.id) as Promise<undefined>,
    }),
    route({
      method: 'POST',
      path: '/api/user/api-keys/{id}/regenerate',
      name: 'apiKeys.regenerate',
      summary: 'Replace the secret of an API key; the old one stops working at once',
      scope: 'api_keys:write',
      mode: 'write',
      creates: true,
      envelope: { family: 'C', kind: 'one' },
      params: { id },
      response: Type.Object({ id, secret, prefix: Type.String(), rotated_at: timestamp }),
      errors: ['wrong_state'],
      handler: async ({ params }, { repos, scope, principal, secrets }) => {
        const { scopes } = await repos.apiKeys.get(scope, principal.userId, params.id);
        refuseWider(scopes, principal);
        const made = secrets.newApiKey();
        const { rotatedAt } = await repos.apiKeys.regenerate(
          scope,
          principal.userId,
          params.id,
          made,
        );
        return {
          id: params.id,
          secret: made.secret,
          prefix: made.prefix,
          rotated_at: showTimestamp(rotatedAt),
        };
      },
    }),
  ],
};
