import type { RouteTable } from '../route.js';
import { apiKeys } from './api-keys.js';
import { connections } from './connections.js';
import { nodeTypeRoutes } from './node-types.js';
import { pipelineRuns } from './pipeline-runs.js';
import { pipelines } from './pipelines.js';
import { projects } from './projects.js';
import { runs } from './runs.js';
import { scopes } from './scopes.js';

/** Every route there is; the order is that of the documentation. */
export const tables: readonly RouteTable[] = [
  projects,
  connections,
  nodeTypeRoutes,
  pipelines,
  pipelineRuns,
  runs,
  apiKeys,
  scopes,
];
