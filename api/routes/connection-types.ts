import { Type } from '@sinclair/typebox';
import { connectionManifest, connectionTypes } from '../../connectors/catalog.js';
import { route } from '../route.js';
import type { RouteTable } from '../route.js';
import { anyObject, nullable } from '../schemas/objects.js';

const connectionType = Type.Object({
  type: Type.String(),
  title: Type.String(),
  roles: Type.Array(Type.String()),
  capabilities: Type.Array(
    Type.String({ description: 'Node types it can be an end of, and what can be asked of it' }),
  ),
  dialect: nullable(Type.String({ description: 'The SQL of its queries' })),
  configSchema: anyObject,
  secretKeys: Type.Array(
    Type.String({ description: 'Keys of config that are sealed and never shown again' }),
  ),
  example: anyObject,
});

const manifests = connectionTypes.flatMap((type) => connectionManifest(type) ?? []);

export const connectionTypeRoutes: RouteTable = {
  tag: 'Connections',
  routes: [
    route({
      method: 'GET',
      path: '/api/connection-types',
      name: 'connectionTypes.list',
      summary: 'What connections can be of, with a JSON Schema of each config',
      scope: 'connections:read',
      mode: 'read',
      extension: true,
      envelope: { family: 'A', kind: 'list' },
      page: { kind: 'all', key: 'type' },
      response: connectionType,
      handler: () =>
        manifests.map((manifest) => ({
          type: manifest.id,
          title: manifest.title,
          roles: [...manifest.roles],
          capabilities: [...manifest.capabilities],
          dialect: manifest.dialect ?? null,
          configSchema: manifest.config,
          secretKeys: [...manifest.secretKeys],
          example: { ...manifest.example },
        })),
    }),
  ],
};
