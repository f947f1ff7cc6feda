import type { Knex } from 'knex';
import { makeApiKeys } from './apiKeys.js';
import { makeAudit } from './audit.js';
import { makeConnections } from './connections.js';
import { makeCredentials } from './credentials.js';
import { makeCursors } from './cursors.js';
import { makeDeadLetters } from './deadLetters.js';
import { makeDispatch } from './dispatch.js';
import { makeIdempotency } from './idempotency.js';
import { makeInstance } from './instance.js';
import { makeJobs } from './jobs.js';
import { makeLive } from './live.js';
import { makeLogs } from './logs.js';
import { makePipelines } from './pipelines.js';
import { makeProjects } from './projects.js';
import { makeReferences } from './references.js';
import { makeRetention } from './retention.js';
import { makeRetries } from './retries.js';
import { makeRuns } from './runs.js';
import { makeSplits } from './splits.js';
import { makeStages } from './stages.js';
import { makeWorkers } from './workers.js';

/** All repositories over one connection or transaction; `touched` collects jobs to dispatch. */
export const makeRepos = (db: Knex, touched: string[] = []) => ({
  apiKeys: makeApiKeys(db),
  audit: makeAudit(db),
  connections: makeConnections(db),
  credentials: makeCredentials(db),
  cursors: makeCursors(db),
  deadLetters: makeDeadLetters(db),
  dispatch: makeDispatch(db),
  idempotency: makeIdempotency(db),
  instance: makeInstance(db),
  jobs: makeJobs(db, touched),
  live: makeLive(db),
  logs: makeLogs(db),
  pipelines: makePipelines(db),
  projects: makeProjects(db),
  references: makeReferences(db),
  retention: makeRetention(db),
  retries: makeRetries(db, touched),
  runs: makeRuns(db),
  splits: makeSplits(db),
  stages: makeStages(db),
  workers: makeWorkers(db),
});

export type Repos = ReturnType<typeof makeRepos>;
