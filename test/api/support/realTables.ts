import { randomUUID } from 'node:crypto';
import pino from 'pino';
import { makeAuthenticator } from '../../../api/auth.js';
import { listen } from '../../../api/listen.js';
import type { Live } from '../../../api/ports.js';
import { tables } from '../../../api/routes/index.js';
import { makeApi } from '../../../api/server.js';
import { AppError } from '../../../core/errors.js';
import { openDatabase } from '../../../db/knex.js';
import { listen as listenToDatabase } from '../../../db/listen.js';
import { makeRepos } from '../../../db/repos/index.js';
import { makeInTransaction } from '../../../db/tx.js';
import { hashApiKey, newApiKey } from '../../../secrets/apiKeys.js';
import { makeBox } from '../../../secrets/box.js';
import { masterKeyFromBase64 } from '../../../secrets/masterKey.js';
import { createTestDatabase } from '../../support/database.js';
import { TEST_API_KEY, TEST_MASTER_KEY } from '../../support/fixed.js';
import { waitFor } from '../../support/wait.js';
import { makeInProcessLive } from './inProcessLive.js';

const nobodyLive: Live = async () => {
  throw new AppError('no_worker', 'There are no workers in this test.');
};

/**
 * The real tables over a database of their own; there are no workers, so jobs stay queued. Live
 * calls are answered where `live` says so.
 */
export const startRealTables = async ({ live = false }: { live?: boolean } = {}) => {
  const database = await createTestDatabase();
  const db = openDatabase({ url: database.url, poolSize: 8, applicationName: 'test-api' });
  const repos = makeRepos(db);
  const statements: string[] = [];
  db.on('query', ({ sql }: { sql: string }) => statements.push(sql));
  const logged: Record<string, unknown>[] = [];
  const log = pino(
    { level: 'warn' },
    { write: (line: string) => logged.push(JSON.parse(line) as Record<string, unknown>) },
  );
  const keys = {
    hash: hashApiKey,
    find: repos.apiKeys.findByHash,
    touch: repos.apiKeys.touch,
  };
  const authenticator = makeAuthenticator(keys, log);
  // As in production: another connection hears of changed keys.
  let heard = 0;
  let connected: () => void = () => undefined;
  const listening = new Promise<void>((resolve) => (connected = resolve));
  const listener = listenToDatabase({
    url: database.url,
    applicationName: 'test-api',
    on: {
      auth_changed: (hash) => {
        authenticator.evict(hash);
        heard += 1;
      },
    },
    onGap: connected,
    onError: (error) => log.warn({ err: error }, 'listening was interrupted'),
  });
  await listening;
  const box = makeBox(masterKeyFromBase64(TEST_MASTER_KEY));
  const inTransaction = makeInTransaction(db);
  const worker = live ? await makeInProcessLive({ repos, inTransaction, box, log }) : undefined;
  const app = makeApi({
    tables,
    authenticator,
    basePrefix: '',
    version: '0.0.0',
    checkResponses: true,
    ports: {
      repos,
      inTransaction,
      live: worker?.live ?? nobodyLive,
      secrets: { ...box, newApiKey },
      kick: () => undefined,
      readiness: async () => ({ ready: true, missing: [] }),
      log,
    },
  });
  const { url, close } = await listen(app.callback(), { host: '127.0.0.1', port: 0 });
  const owner = await repos.apiKeys.findByHash(hashApiKey(TEST_API_KEY) ?? '');
  if (!owner) throw new Error('The test database has no owner.');
  const { principal } = owner;

  /** A key of the owner's, with an expiry `days` from now. */
  const issue = async (scopes: readonly string[], days: number | null = null) => {
    const made = newApiKey();
    const key = await repos.apiKeys.create(principal, {
      ...made,
      userId: principal.userId,
      name: randomUUID(),
      scopes,
      expiresInDays: days,
    });
    return { id: key.id, secret: made.secret };
  };

  return {
    url,
    token: TEST_API_KEY,
    principal,
    repos,
    box,
    logged,
    db,
    /** Until the listener has heard of every key changed so far. */
    settled: async () => {
      const before = heard;
      await db.raw(`select pg_notify('auth_changed', '')`);
      await waitFor(() => heard > before, { timeoutMs: 5_000, what: 'the listener to hear of it' });
    },
    /** Every statement sent so far, those that begin and end transactions included. */
    statements,
    issue,
    close: async () => {
      await close();
      await worker?.close();
      await listener.close();
      await db.destroy();
      await database.drop();
    },
  };
};
