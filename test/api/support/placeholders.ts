import { randomUUID } from 'node:crypto';
import { mountedPath } from '../../../api/family.js';
import type { Route } from '../../../api/route.js';
import type { JsonSchema } from '../../../api/shape.js';

/** A path of a route that is well formed and names nothing. */
export const strangerPath = (route: Route, basePrefix: string): string =>
  mountedPath(route.path, basePrefix).replace(/\{([^{}]+)\}/g, (_braces, name: string) => {
    const schema = (route.params?.[name] ?? {}) as JsonSchema;
    return schema['format'] === 'uuid' ? randomUUID() : 'stranger';
  });
