/** A worker for the floor workflow, in a process of its own as ours is. */
import { fileURLToPath } from 'node:url';
import worker from '@temporalio/worker';

const { NativeConnection, Worker, Runtime, DefaultLogger } = worker;
Runtime.install({ logger: new DefaultLogger('ERROR') });
const connection = await NativeConnection.connect({ address: process.env.TEMPORAL_ADDRESS });
const floor = await Worker.create({
  connection,
  taskQueue: 'floor',
  workflowsPath: fileURLToPath(new URL('./floor-workflow.cjs', import.meta.url)),
  activities: { nothing: async () => {} },
});
process.stdout.write('ready\n');
await floor.run();
