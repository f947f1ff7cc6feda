import type { RouteTable } from '../route.js';
import { apiKeys } from './api-keys.js';
import { connectionBrowse } from './connection-browse.js';
import { connectionChecks } from './connection-checks.js';
import { connectionData } from './connection-data.js';
import { connectionTypeRoutes } from './connection-types.js';
import { connections } from './connections.js';
import { credentials } from './credentials.js';
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
  connectionChecks,
  connectionBrowse,
  connectionData,
  connectionTypeRoutes,
  credentials,
  nodeTypeRoutes,
  pipelines,
  pipelineRuns,
  runs,
  apiKeys,
  scopes,
];
