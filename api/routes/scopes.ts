import { Type } from '@sinclair/typebox';
import { describeScopes } from '../../core/permissions.js';
import { route } from '../route.js';
import type { RouteTable } from '../route.js';

const known = describeScopes();

const scope = Type.Object({ scope: Type.String(), description: Type.String() });

export const scopes: RouteTable = {
  tag: 'API keys',
  routes: [
    route({
      method: 'GET',
      path: '/api/scopes',
      name: 'scopes.list',
      summary: 'What a key can carry; * stands for any resource or action',
      scope: 'user:read',
      mode: 'read',
      extension: true,
      envelope: { family: 'A', kind: 'list' },
      page: { kind: 'all', key: 'scope' },
      response: scope,
      handler: () => known,
    }),
  ],
};
