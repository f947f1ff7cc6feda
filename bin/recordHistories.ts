/**
 * npm run record-histories -- <address of a Temporal server> <folder>
 *
 * Runs every workflow through the scenarios that the folder does not have yet, with stand-in
 * activities, and writes the histories that the replay test holds future versions against: what was
 * recorded once is never recorded again. Identity is fixed and stack traces are removed, so
 * that a recording says nothing about the machine it was made on.
 */
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { openTemporal } from '../dispatch/connect.js';
import { queues } from '../workflows/contract.js';
import type { JobInput } from '../workflows/contract.js';
import { scenarios } from './scenarios.js';
import type { Scenario } from './scenarios.js';

const identity = 'recorder';

const withoutTraces = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutTraces);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => key !== 'stackTrace')
      .map(([key, part]) => [key, withoutTraces(part)]),
  );
};

const record = async (
  address: string,
  connection: NativeConnection,
  name: string,
  { workflow, script, args, during }: Scenario,
): Promise<object> => {
  const client = openTemporal({ address, namespace: 'default', identity });
  const prefix = `record-${name}-`;
  const activities = script();
  const workers = await Promise.all(
    Object.values(queues).map((queue) =>
      Worker.create({
        connection,
        identity,
        taskQueue: prefix + queue,
        activities,
        maxHeartbeatThrottleInterval: 100,
        ...(queue === 'control'
          ? { workflowBundle: { codePath: join(__dirname, '..', 'workflow-bundle.js') } }
          : {}),
      }),
    ),
  );
  const running = Promise.all(workers.map((worker) => worker.run()));
  try {
    const jobId = '0197f5f6-0000-7000-8000-000000000000';
    const input: JobInput = { jobId, heartbeatSeconds: 1 };
    const handle = await client.workflow.start(workflow, {
      workflowId: `${workflow}-${jobId}-${name}`,
      taskQueue: prefix + queues.control,
      args: [...(args ?? [input])],
    });
    await during?.(handle);
    await handle.result();
    // The first execution of a chain: the one that continued as new.
    const first = client.workflow.getHandle(handle.workflowId, handle.firstExecutionRunId);
    return withoutTraces(JSON.parse(historyToJSON(await first.fetchHistory()))) as object;
  } finally {
    for (const worker of workers) worker.shutdown();
    await running;
    await client.connection.close();
  }
};

const run = async (): Promise<void> => {
  const [address, folder] = process.argv.slice(2);
  if (address === undefined || folder === undefined) {
    throw new Error('Usage: npm run record-histories -- <Temporal address> <folder>');
  }
  Runtime.install({ logger: new DefaultLogger('ERROR') });
  const connection = await NativeConnection.connect({ address });
  for (const [name, scenario] of Object.entries(scenarios)) {
    const file = join(folder, `${name}.json`);
    if (existsSync(file)) continue;
    const history = await record(address, connection, name, scenario);
    await writeFile(file, `${JSON.stringify(history, null, 1)}\n`);
    console.log(`${name}.json`);
  }
  await connection.close();
};

run().then(
  () => process.exit(0),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
