import { mountedPath } from '../family.js';
import type { RouteTable } from '../route.js';
import { Components } from './components.js';
import { operationOf } from './operation.js';

export interface DocumentOptions {
  version: string;
  basePrefix: string;
}

const description = `Data integration: pipelines over REST, every run a Temporal workflow.

Lists that show \`limit\` and \`cursor\` are paged newest first: pass the cursor of one page to get the
next, until it is null. Creating and starting POSTs accept an \`Idempotency-Key\`. Every answer
carries \`X-Request-Id\`. Unknown fields and parameters are errors, except under \`/v1\`.`;

const bearer = {
  type: 'http',
  scheme: 'bearer',
  description: 'An API key, `flx_…`. GET /api/scopes lists what a key can carry.',
};

/** OpenAPI 3.1 of the given tables: all of them, or one family's. */
export const openApiDocument = (
  tables: readonly RouteTable[],
  { version, basePrefix }: DocumentOptions,
) => {
  const components = new Components();
  const paths: Record<string, Record<string, unknown>> = {};
  for (const { tag, routes } of tables) {
    for (const route of routes) {
      const operations = (paths[mountedPath(route.path, basePrefix)] ??= {});
      operations[route.method.toLowerCase()] = operationOf(route, tag, components);
    }
  }
  const tags = new Map(tables.map((table) => [table.tag, table.description]));
  return {
    openapi: '3.1.0',
    info: { title: 'Fluxline', version, description, license: { name: 'Apache-2.0' } },
    tags: [...tags].map(([name, about]) =>
      about === undefined ? { name } : { name, description: about },
    ),
    security: [{ bearer: [] }],
    paths,
    components: { securitySchemes: { bearer }, schemas: components.schemas },
  };
};
