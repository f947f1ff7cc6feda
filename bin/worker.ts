import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import type { LogEntry } from '@temporalio/worker';
import type { Logger } from 'pino';
import {
  makeBatchActivities,
  makeControlActivities,
  makeLiveActivities,
  makeStreamActivities,
} from '../activities/index.js';
import type { ActivityDeps } from '../activities/deps.js';
import { openConnector } from '../connectors/registry.js';
import { listen } from '../db/listen.js';
import { openTemporal } from '../dispatch/connect.js';
import { startDispatcher } from '../dispatch/loop.js';
import { ensureSchedules } from '../dispatch/schedules.js';
import { registerSearchAttributes } from '../dispatch/searchAttributes.js';
import { makeAddressPolicy } from '../net/addressPolicy.js';
import { makeDialer } from '../net/dial.js';
import type { Queue } from '../workflows/contract.js';
import { allowedCidrs } from './egress.js';
import type { Config } from './config.js';
import { openEngine } from './engine.js';
import { makeDispatchDeps } from './dispatchDeps.js';
import { main } from './main.js';
import type { Started } from './main.js';
import { openParts } from './parts.js';
import { makeQueueName, queuesFromArguments } from './queues.js';
import { startBeat } from './beat.js';
import { untilDone } from './untilDone.js';

const maxCachedWorkflows = 200;

/** One log for us and the SDK; signals are ours to handle. */
const installRuntime = (log: Logger): void => {
  const level = {
    TRACE: 'trace',
    DEBUG: 'debug',
    INFO: 'debug',
    WARN: 'warn',
    ERROR: 'error',
  } as const;
  Runtime.install({
    shutdownSignals: [],
    logger: new DefaultLogger('WARN', ({ level: word, message, meta }: LogEntry) =>
      log[level[word]](meta ?? {}, message),
    ),
  });
};

const makeWorker = (
  queue: Queue,
  connection: NativeConnection,
  { temporal, work, queuePrefix }: Config,
  deps: ActivityDeps,
): Promise<Worker> => {
  const common = {
    connection,
    namespace: temporal.namespace,
    taskQueue: makeQueueName(queuePrefix)(queue),
    shutdownGraceTime: work.drainSeconds * 1000,
    maxHeartbeatThrottleInterval: 5_000,
    // How long a killed worker's cache is waited for before another one takes its workflows over.
    stickyQueueScheduleToStartTimeout: Math.min(10_000, (work.heartbeatSeconds * 1000) / 2),
  };
  switch (queue) {
    case 'control':
      return Worker.create({
        ...common,
        workflowBundle: { codePath: join(__dirname, '..', 'workflow-bundle.js') },
        activities: makeControlActivities(deps),
        maxCachedWorkflows,
      });
    case 'batch':
      return Worker.create({
        ...common,
        activities: makeBatchActivities(deps),
        maxConcurrentActivityTaskExecutions: work.batchSlots,
      });
    case 'live':
      return Worker.create({ ...common, activities: makeLiveActivities(deps) });
    case 'streams':
      return Worker.create({ ...common, activities: makeStreamActivities(deps) });
  }
};

main('worker', async (config, log): Promise<Started> => {
  const wanted = queuesFromArguments(process.argv);
  const { temporal, work } = config;
  const { db, repos, inTransaction, box } = await openParts(config, 'fluxline-worker');

  installRuntime(log);
  const connection = await untilDone('Temporal', log, () =>
    NativeConnection.connect({ address: temporal.address }),
  );
  const client = openTemporal(temporal);
  const dispatchDeps = makeDispatchDeps(config, { repos, inTransaction, client, log });
  const queueName = makeQueueName(config.queuePrefix);
  const net = makeDialer(makeAddressPolicy(allowedCidrs(config)));
  const { engine, close: closeEngine } = await openEngine(config, log);
  const deps: ActivityDeps = {
    repos,
    inTransaction,
    box,
    openConnector,
    net,
    engine,
    log,
    settings: {
      heartbeatMs: Math.min(5_000, (work.heartbeatSeconds * 1000) / 3),
      splitBytes: work.splitBytes,
      splitsPerExecution: work.splitsPerExecution,
      batchQueue: queueName('batch'),
    },
  };
  const workers = await Promise.all(
    wanted.map((queue) => makeWorker(queue, connection, config, deps)),
  );
  const running = Promise.all(workers.map((worker) => worker.run()));
  // A worker that ends by itself is broken: end the process, and let the supervisor start another.
  running.catch((error: unknown) => {
    log.fatal({ err: error }, 'a worker broke');
    process.exit(1);
  });

  const control = wanted.includes('control');
  if (control) {
    await untilDone('search attributes', log, () => registerSearchAttributes(dispatchDeps));
    await untilDone('schedules', log, () => ensureSchedules(dispatchDeps));
  }
  const dispatcher = control ? startDispatcher(dispatchDeps) : undefined;
  const listener =
    dispatcher &&
    listen({
      url: config.databaseUrl,
      applicationName: 'fluxline-worker',
      on: { jobs: dispatcher.wake },
      onGap: dispatcher.wake,
      onError: (error) => log.warn({ err: error }, 'listening was interrupted'),
    });
  const beat = startBeat(repos.workers, log, {
    id: `${hostname()}-${process.pid}-${randomUUID().slice(0, 8)}`,
    queues: wanted.map(queueName),
    slots: work.batchSlots,
  });
  log.info({ queues: wanted.map(queueName) }, 'worker is running');

  return {
    stop: async () => {
      await beat.stop();
      await listener?.close();
      await dispatcher?.stop();
      for (const worker of workers) worker.shutdown();
      await running;
      await closeEngine();
      await connection.close();
      await client.connection.close();
      await db.destroy();
    },
  };
});
