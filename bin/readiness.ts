import type { Client } from '@temporalio/client';
import type { Knex } from 'knex';
import type { Readiness } from '../api/ports.js';
import { pendingMigrations } from '../db/migrations/index.js';
import type { Repos } from '../db/repos/index.js';

const patienceMs = 3_000;

/** Whether something answers in time, and says nothing is missing. */
const missingFrom = async (what: string, ask: () => Promise<string[]>): Promise<string[]> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string[]>((resolve) => {
    timer = setTimeout(() => resolve([what]), patienceMs);
  });
  try {
    return await Promise.race([ask(), late]);
  } catch {
    return [what];
  } finally {
    clearTimeout(timer);
  }
};

/** Ready means: a run that is started now would run. */
export const makeReadiness = (
  db: Knex,
  repos: Repos,
  client: Client,
  queues: readonly string[],
): (() => Promise<Readiness>) => {
  const database = async (): Promise<string[]> => {
    const pending = await pendingMigrations(db);
    if (pending.length > 0) return [`migrations: ${pending.join(', ')}`];
    const unserved = await repos.workers.unserved(queues);
    return unserved.map((queue) => `worker on queue ${queue}`);
  };
  const temporal = async (): Promise<string[]> => {
    await client.withDeadline(Date.now() + patienceMs, () =>
      client.workflowService.describeNamespace({ namespace: client.options.namespace }),
    );
    return [];
  };
  return async () => {
    const missing = await Promise.all([
      missingFrom('database', database),
      missingFrom('temporal', temporal),
    ]);
    return { ready: missing.flat().length === 0, missing: missing.flat() };
  };
};
