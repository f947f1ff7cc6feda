import { Type } from '@sinclair/typebox';
import { nodeTypes as catalogue } from '../../core/nodes/index.js';
import { route } from '../route.js';
import type { RouteTable } from '../route.js';
import { anyObject } from '../schemas/objects.js';

const nodeType = Type.Object({
  type: Type.String(),
  role: Type.String(),
  title: Type.String(),
  description: Type.String(),
  inputs: Type.Array(Type.Object({ port: Type.String(), many: Type.Boolean() })),
  namedInputs: Type.Boolean({
    description: 'Edges may also end in ports of names of your own, one in each',
  }),
  outputs: Type.Array(Type.String()),
  configSchema: anyObject,
  example: anyObject,
});

export const nodeTypeRoutes: RouteTable = {
  tag: 'Node types',
  routes: [
    route({
      method: 'GET',
      path: '/api/node-types',
      name: 'nodeTypes.list',
      summary: 'What nodes a pipeline can be made of, with a JSON Schema of each config',
      scope: 'pipelines:read',
      mode: 'read',
      extension: true,
      envelope: { family: 'A', kind: 'list' },
      page: { kind: 'all', key: 'type' },
      response: nodeType,
      handler: () =>
        catalogue.map(({ inputs, namedInputs = false, outputs, config, ...type }) => ({
          type: type.type,
          role: type.role,
          title: type.title,
          description: type.description,
          inputs: [...inputs],
          namedInputs,
          outputs: [...outputs],
          configSchema: config,
          example: type.example,
        })),
    }),
  ],
};
