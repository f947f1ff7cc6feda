import type { ServerResponse } from 'node:http';
import { makeAuthenticator } from '../api/auth.js';
import { listen } from '../api/listen.js';
import { tables } from '../api/routes/index.js';
import { makeApi } from '../api/server.js';
import { listen as listenToDatabase } from '../db/listen.js';
import { openTemporal } from '../dispatch/connect.js';
import { makeDispatcher } from '../dispatch/loop.js';
import { hashApiKey, newApiKey } from '../secrets/apiKeys.js';
import packageJson from '../package.json';
import { makeDispatchDeps } from './dispatchDeps.js';
import { makeLive } from './live.js';
import { StartError, main } from './main.js';
import { openParts } from './parts.js';
import { allQueues, makeQueueName } from './queues.js';
import { makeReadiness } from './readiness.js';

main('api', async (config, log) => {
  const { db, repos, inTransaction, box } = await openParts(config, 'fluxline-api');

  const client = openTemporal(config.temporal);
  const dispatchDeps = makeDispatchDeps(config, { repos, inTransaction, client, log });
  const dispatcher = makeDispatcher(dispatchDeps);
  const queueName = makeQueueName(config.queuePrefix);
  const authenticator = makeAuthenticator(
    {
      hash: hashApiKey,
      find: repos.apiKeys.findByHash,
      touch: repos.apiKeys.touch,
    },
    log,
  );
  const listener = listenToDatabase({
    url: config.databaseUrl,
    applicationName: 'fluxline-api',
    on: { auth_changed: (hash) => authenticator.evict(hash) },
    onGap: () => authenticator.evict(),
    onError: (error) => log.warn({ err: error }, 'listening was interrupted'),
  });
  const api = makeApi({
    tables,
    authenticator,
    basePrefix: config.http.basePrefix,
    version: packageJson.version,
    ports: {
      repos,
      inTransaction,
      live: makeLive(repos, box, dispatchDeps),
      secrets: { ...box, newApiKey },
      kick: dispatcher.wake,
      readiness: makeReadiness(db, repos, client, allQueues.map(queueName)),
      log,
    },
  });
  const handle = api.callback();
  const server = await listen(
    (request, response: ServerResponse) => void handle(request, response),
    config.http,
  ).catch((error: unknown) => {
    const { code } = error as { code?: string };
    if (code !== 'EADDRINUSE') throw error;
    throw new StartError(`Port ${config.http.port} is in use; set FLX_HTTP_PORT to a free one.`);
  });
  log.info({ url: server.url }, 'api is listening');

  return {
    stop: async () => {
      await server.close();
      await dispatcher.stop();
      await listener.close();
      await client.connection.close();
      await db.destroy();
    },
  };
});
