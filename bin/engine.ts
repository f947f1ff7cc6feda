import { mkdir } from 'node:fs/promises';
import type { Logger } from 'pino';
import type { Engine } from '../activities/deps.js';
import { noLog } from '../activities/jobLog.js';
import { openConnector } from '../connectors/registry.js';
import { makeDuckDb } from '../engine/duckdb/pool.js';
import { makeScratch } from '../engine/staging/scratch.js';
import { openStaging } from '../engine/staging/staging.js';
import { makeDialer } from '../net/dial.js';
import type { Config } from './config.js';

/** Longer than any split should take; a query that is still at it will not end by itself. */
const duckdbTimeoutMs = 60 * 60 * 1000;
const mostResultRows = 1_000_000;

const sweepEveryMs = 10 * 60 * 1000;
/** Of runs that are long over, or were never heard of again. */
const stagedKeepMs = 7 * 24 * 60 * 60 * 1000;

/** What the engine works with on this host. Refuses to begin where the staging store is not there. */
export const openEngine = async (
  { engine, work }: Config,
  log: Logger,
): Promise<{ engine: Engine; close: () => Promise<void> }> => {
  const { maxRowBytes, localDirectories } = engine;
  if (engine.staging.startsWith('/')) await mkdir(engine.staging, { recursive: true });
  const staging = await openStaging({
    url: engine.staging,
    credentials: engine.stagingCredentials,
    maxBytes: engine.stagingMaxBytes,
    openConnector: (id, config) =>
      openConnector(id, config, {
        // Where it is is an operator's word.
        net: makeDialer({ allows: () => true }),
        role: 'destination',
        maxRowBytes,
        localDirectories: { allowed: ['/'], refused: [] },
      }),
  });
  const closing = new AbortController();
  const ctx = { signal: closing.signal, log: noLog };
  const store = await staging.prove(ctx);
  log.info({ store }, 'staging store is there');
  const scratch = await makeScratch(engine.scratch);
  const duckdb = makeDuckDb({
    slots: work.batchSlots,
    memoryBytes: Math.floor(engine.memoryBytes / work.batchSlots),
    timeoutMs: duckdbTimeoutMs,
    maxRows: mostResultRows,
  });
  const sweep = setInterval(() => {
    staging
      .sweep(new Date(Date.now() - stagedKeepMs), ctx)
      .catch((error: unknown) => log.warn({ err: error }, 'could not sweep the staging store'));
  }, sweepEveryMs);
  return {
    engine: { duckdb, staging, scratch, maxRowBytes, localDirectories },
    close: async () => {
      clearInterval(sweep);
      closing.abort();
      await duckdb.close();
      await staging.close();
    },
  };
};
